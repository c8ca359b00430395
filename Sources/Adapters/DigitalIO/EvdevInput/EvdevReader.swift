import ButtonInput
import CLinux
import Glibc
import MediaCore
import Synchronization

/// The thread that reads an input device: opens it, reads, and after a break opens it again.
final class EvdevReader: Sendable {
  /// How long the thread may take to notice that it is to end, where there is no alarm.
  private static let slice: Int32 = 500

  private let input: EvdevInput
  private let events: AsyncStream<EvdevInput.Event>.Continuation
  private let onChange: @Sendable (EvdevInput.Change) -> Void
  private let isStopped = Atomic(false)
  /// Rung to end a wait.
  private let alarm = cevdev_make_alarm()

  init(
    _ input: EvdevInput, events: AsyncStream<EvdevInput.Event>.Continuation,
    onChange: @escaping @Sendable (EvdevInput.Change) -> Void
  ) {
    self.input = input
    self.events = events
    self.onChange = onChange
  }

  deinit { if alarm >= 0 { close(alarm) } }

  /// Asks the thread to end, which it does at once.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    cevdev_ring(alarm)
  }

  func start() {
    let code = startThread(retaining: Unmanaged.passRetained(self).toOpaque())
    guard code != 0 else { return }
    Unmanaged.passUnretained(self).release()
    onChange(.unavailable("no thread: \(String(cString: strerror(code)))"))
    events.finish()
  }

  private var isRunning: Bool { !isStopped.load(ordering: .relaxed) }

  fileprivate func run() {
    var pauses = Backoff(initial: .milliseconds(250), maximum: .seconds(5))
    var reported: String?
    while isRunning {
      do throws(EvdevError) {
        let device = try EvdevHandle.open(input)
        pauses.reset()
        reported = nil
        onChange(.opened(path: device.path))
        try read(device)
      } catch {
        // The same cause is reported once.
        if isRunning, reported != error.text { onChange(.unavailable(error.text)) }
        reported = error.text
      }
      for code in input.codes { report(code, isActive: false, .lost) }
      if isRunning { _ = cevdev_wait(-1, alarm, alarm < 0 ? Self.slice : Int32(clamping: pauses.next().milliseconds)) }
    }
    events.finish()
  }

  /// Reads until it is to end.
  ///
  /// - Throws: when the device is gone.
  private func read(_ device: borrowing EvdevHandle) throws(EvdevError) {
    for code in input.codes { report(code, isActive: device.isActive(code), .found) }
    var isLost = false
    while isRunning {
      guard cevdev_wait(device.descriptor, alarm, alarm < 0 ? Self.slice : -1) != 0 else { continue }
      for event in try device.read() {
        if event.type == cevdev_type_sync, event.code == cevdev_sync_dropped { isLost = true }
        if event.type == cevdev_type_sync, event.code == cevdev_sync_report, isLost {
          // The kernel's buffer overflowed: its rest is useless, the keys' levels are not.
          isLost = false
          for code in input.codes { report(code, isActive: device.isActive(code), .edge) }
        } else if !isLost {
          report(event)
        }
      }
    }
  }

  /// Reports an edge of a requested code, without the kernel's auto-repeat.
  private func report(_ event: cevdev_event) {
    guard event.value == 0 || event.value == 1 else { return }
    guard let code = InputCode(event), input.codes.contains(code) else { return }
    let time = MonotonicInstant(seconds: event.seconds, nanoseconds: event.nanoseconds)
    events.yield(EvdevInput.Event(code: code, isActive: event.value == 1, time: time, origin: .edge))
  }

  private func report(_ code: InputCode, isActive: Bool, _ origin: LevelOrigin) {
    let now = MonotonicInstant(nanoseconds: cevdev_now())
    events.yield(EvdevInput.Event(code: code, isActive: isActive, time: now, origin: origin))
  }
}

extension InputCode {
  fileprivate init?(_ event: cevdev_event) {
    switch event.type {
    case cevdev_type_key:
      guard let key = KeyCode(number: Int(event.code)) else { return nil }
      self = .key(key)
    case cevdev_type_switch:
      guard let code = SwitchCode(number: Int(event.code)) else { return nil }
      self = .switch(code)
    default: return nil
    }
  }
}

/// Starts the thread, which takes over the reference that `context` holds; zero, or an error number.
private func startThread(retaining context: UnsafeMutableRawPointer) -> CInt {
  var thread = pthread_t()
  let code = pthread_create(&thread, nil, { threadMain($0) }, context)
  if code == 0 { pthread_detach(thread) }
  return code
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  cevdev_prepare_thread("evdev")
  Unmanaged<EvdevReader>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
