import EventDetection
public import DeviceConfiguration
public import Logging

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
      group.addTask {
        await inputs.run { index, level in
          await runners[index].take(isDown: level.isActive, at: level.time, isFound: level.origin != .edge)
        }
      }
    }
    for runner in runners { await runner.stop() }
  }

  private var inputs: DigitalInputs {
    let (logger, buttons) = (logger, buttons)
    return DigitalInputs(buttons.map { DigitalInputs.Input(name: $0.name, place: $0.place) }) { places, change in
      switch change {
      case .opened(let place):
        let names = places.map { "\"\(buttons[$0].name)\"" }.joined(separator: ", ")
        logger.notice("buttons at \(place): \(names)")
      case .unavailable(let text): logger.warning("buttons: \(text)")
      }
    }
  }
}
