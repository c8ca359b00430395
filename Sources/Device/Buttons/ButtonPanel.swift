import ButtonInput
public import DeviceConfiguration
import EvdevInput
public import Logging
import MediaCore

/// All buttons of a device: reads their keys and lines, and has done what their presses ask for.
public struct ButtonPanel: Sendable {
  /// A button and what it is to do.
  public struct Press: Sendable, Equatable {
    public var button: ButtonSettings
    public var action: ButtonAction
  }

  private let buttons: [ButtonSettings]
  private let logger: Logger
  private let perform: @Sendable (Press) async -> Void

  /// - Parameter perform: called for one press of a button after the other; presses of different buttons do not wait for
  ///   each other.
  public init(_ buttons: [ButtonSettings], logger: Logger, perform: @escaping @Sendable (Press) async -> Void) {
    self.buttons = buttons
    self.logger = logger
    self.perform = perform
  }

  /// Works until the task is cancelled.
  public func run() async {
    let runners = buttons.map { ButtonRunner($0, logger: logger) }
    await withDiscardingTaskGroup { group in
      for (button, runner) in zip(buttons, runners) {
        group.addTask { for await action in runner.actions { await perform(Press(button: button, action: action)) } }
      }
      for keys in KeyGroup.groups(of: buttons) {
        group.addTask { await read(keys, runners) }
      }
      for (button, runner) in zip(buttons, runners) {
        if case .line(let line) = button.place { group.addTask { await read(line, of: button.name, runner) } }
      }
    }
    for runner in runners { await runner.stop() }
  }

  private func read(_ keys: KeyGroup, _ runners: [ButtonRunner]) async {
    let logger = logger
    let input = EvdevInput(device: keys.device, keys: keys.members.map(\.code), isGrabbed: keys.isGrabbed)
    let events = input.events { change in
      switch change {
      case .opened(let path): logger.notice("buttons at \(path)")
      case .unavailable(let text): logger.warning("buttons: \(text)")
      }
    }
    for await event in events {
      for member in keys.members where member.code == event.key {
        await runners[member.index].take(isDown: event.isDown, at: event.time, isFound: event.isFound)
      }
    }
  }

  private func read(_ line: ButtonLine, of name: String, _ runner: ButtonRunner) async {
    let logger = logger
    let levels = LineReader.levels(line, consumer: String(decoding: name.utf8.prefix(31), as: UTF8.self)) { text in
      if let text { logger.warning("buttons: \(text)") } else { logger.notice("button \"\(name)\" at \(line.chip)") }
    }
    for await level in levels { await runner.take(isDown: level.isDown, at: level.time, isFound: level.isFound) }
  }
}

/// The buttons that are keys of one input device, which is opened once.
private struct KeyGroup {
  let device: EvdevDevice
  var isGrabbed: Bool
  var members: [(index: Int, code: KeyCode)]

  static func groups(of buttons: [ButtonSettings]) -> [KeyGroup] {
    var groups: [String: KeyGroup] = [:]
    for (index, button) in buttons.enumerated() {
      guard case .key(let key) = button.place else { continue }
      let device: EvdevDevice = key.device.hasPrefix("/") ? .path(key.device) : .name(key.device)
      var group = groups[key.device] ?? KeyGroup(device: device, isGrabbed: false, members: [])
      group.isGrabbed = group.isGrabbed || key.isGrabbed
      group.members.append((index, key.code))
      groups[key.device] = group
    }
    return groups.values.sorted { $0.members[0].index < $1.members[0].index }
  }
}
