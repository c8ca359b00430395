public import EventDetection
public import MediaCore

/// Which input device it is.
public enum EvdevDevice: Sendable, Hashable, CustomStringConvertible {
  /// A path, best below /dev/input/by-path or by-id, which stays the same.
  case path(String)
  /// The name that the kernel gives it (/proc/bus/input/devices).
  case name(String)

  public var description: String {
    switch self {
    case .path(let path): path
    case .name(let name): "\"\(name)\""
    }
  }
}

/// Keys and switches of one input device of the kernel (evdev), read by its own thread.
///
/// A device that is absent, is unplugged or may not be opened is no error: the thread retries with growing
/// pauses, and continues when the device is there.
public struct EvdevInput: Sendable {
  /// The level of one key or switch.
  public struct Event: Sendable, Hashable {
    public var code: InputCode
    /// Whether the key is down, or the switch is set.
    public var isActive: Bool
    /// By CLOCK_MONOTONIC, when the kernel took it from the driver.
    public var time: MonotonicInstant
    public var origin: LevelOrigin
  }

  /// A change in whether the device is there, reported once each time.
  public enum Change: Sendable, Hashable {
    case opened(path: String)
    /// Absent, gone or not to be opened; what is wrong and what to do.
    case unavailable(String)
  }

  let device: EvdevDevice
  let codes: [InputCode]
  let isGrabbed: Bool

  /// - Parameters:
  ///   - codes: those that are reported; others are ignored.
  ///   - isGrabbed: whether to take the device's events exclusively, such as from a console that types them.
  public init(device: EvdevDevice, codes: [InputCode], isGrabbed: Bool = false) {
    self.device = device
    self.codes = codes
    self.isGrabbed = isGrabbed
  }

  /// What is wrong with the device or its keys, and what to do; nil if all is well. Opens the device for a moment and grabs
  /// nothing.
  public func problem() -> String? {
    do throws(EvdevError) {
      _ = try EvdevHandle.open(EvdevInput(device: device, codes: codes))
      return nil
    } catch {
      return error.text
    }
  }

  /// Starts the thread and returns what happens to the keys, of which a slow reader sees the newest 256; ends when the
  /// reader ends.
  ///
  /// - Parameter onChange: called on the thread.
  public func events(onChange: @escaping @Sendable (Change) -> Void = { _ in }) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
    let reader = EvdevReader(self, events: continuation, onChange: onChange)
    continuation.onTermination = { _ in reader.stop() }
    reader.start()
    return stream
  }
}
