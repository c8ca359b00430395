public import EventDetection
public import DeviceConfiguration
import DigitalIO
public import MediaCore

/// The level of a key, a switch or a line.
public struct InputLevel: Sendable, Hashable {
  /// Whether the key is down, the switch set, or the line at its active level.
  public var isActive: Bool
  /// By CLOCK_MONOTONIC.
  public var time: MonotonicInstant
  public var origin: LevelOrigin

  public init(isActive: Bool, time: MonotonicInstant, origin: LevelOrigin) {
    self.isActive = isActive
    self.time = time
    self.origin = origin
  }
}

/// Keys and switches of input devices, and lines of GPIO chips: reads each by a thread that takes it up again after a break.
public struct DigitalInputs: Sendable {
  public struct Input: Sendable, Hashable {
    /// Whose it is; others see its first 31 bytes at a line.
    public var name: String
    public var place: InputPlace

    public init(name: String, place: InputPlace) {
      self.name = name
      self.place = place
    }
  }

  /// A change in whether inputs are there, reported once each time.
  public enum Change: Sendable, Hashable {
    case opened(place: String)
    /// Absent, gone or not to be opened; what is wrong and what to do.
    case unavailable(String)
  }

  private let inputs: [Input]
  private let onChange: @Sendable ([Int], Change) -> Void

  /// - Parameter onChange: called on a reader's thread, with the places in `inputs` of those that it reads.
  public init(_ inputs: [Input], onChange: @escaping @Sendable ([Int], Change) -> Void) {
    self.inputs = inputs
    self.onChange = onChange
  }

  /// Reads until the task is cancelled.
  ///
  /// - Parameter take: called for the levels of one input in order, with its place in `inputs`.
  public func run(_ take: @escaping @Sendable (Int, InputLevel) async -> Void) async {
    await withDiscardingTaskGroup { group in
      for keys in KeyGroup.groups(of: inputs) {
        group.addTask { await read(keys, take) }
      }
      for (index, input) in inputs.enumerated() {
        if case .line(let line) = input.place { group.addTask { await read(line, of: index, take) } }
      }
    }
  }

  private func read(_ keys: KeyGroup, _ take: @Sendable (Int, InputLevel) async -> Void) async {
    let onChange = onChange
    let places = keys.members.map(\.index)
    let input = EvdevInput(device: keys.device, codes: keys.members.map(\.code), isGrabbed: keys.isGrabbed)
    let events = input.events { change in
      switch change {
      case .opened(let path): onChange(places, .opened(place: path))
      case .unavailable(let text): onChange(places, .unavailable(text))
      }
    }
    for await event in events {
      let level = InputLevel(isActive: event.isActive, time: event.time, origin: event.origin)
      for member in keys.members where member.code == event.code { await take(member.index, level) }
    }
  }

  private func read(
    _ line: InputLine, of index: Int, _ take: @Sendable (Int, InputLevel) async -> Void
  ) async {
    let onChange = onChange
    let consumer = String(decoding: inputs[index].name.utf8.prefix(31), as: UTF8.self)
    let levels = LineReader.levels(line, consumer: consumer) { text in
      onChange([index], text.map { .unavailable($0) } ?? .opened(place: line.chip))
    }
    for await level in levels { await take(index, level) }
  }
}

/// The inputs that belong to one input device, which is opened once.
private struct KeyGroup {
  let device: EvdevDevice
  var isGrabbed: Bool
  var members: [(index: Int, code: InputCode)]

  static func groups(of inputs: [DigitalInputs.Input]) -> [KeyGroup] {
    var groups: [String: KeyGroup] = [:]
    for (index, input) in inputs.enumerated() {
      guard case .key(let key) = input.place else { continue }
      let device: EvdevDevice = key.device.hasPrefix("/") ? .path(key.device) : .name(key.device)
      var group = groups[key.device] ?? KeyGroup(device: device, isGrabbed: false, members: [])
      group.isGrabbed = group.isGrabbed || key.isGrabbed
      group.members.append((index, key.code))
      groups[key.device] = group
    }
    return groups.values.sorted { $0.members[0].index < $1.members[0].index }
  }
}
