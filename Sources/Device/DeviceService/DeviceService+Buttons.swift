import CallPolicy
import DigitalInputs
import CallEngine
import DeviceActions
import DeviceConfiguration
import EngineControl
import Logging
import Signalling

/// Buttons at the device.
extension DeviceService {
  /// Works until the task is cancelled; without buttons there is nothing to be done.
  func watchButtons(_ engine: CallEngine, _ control: EngineControl, _ actions: ActionService) async {
    guard !configuration.buttons.isEmpty else { return }
    let logger = logger
    let panel = ButtonPanel(configuration.buttons, logger: logger) { press in
      do {
        try await Self.perform(press, engine, control, actions)
      } catch is ActionRefusal {
        // Each use of an action is logged where it is judged.
      } catch {
        logger.notice("button \"\(press.button.name)\": failed: \(Self.message(for: error))")
      }
    }
    await panel.run()
  }

  private static func perform(
    _ press: ButtonPanel.Press, _ engine: CallEngine, _ control: EngineControl, _ actions: ActionService
  ) async throws {
    switch press.action {
    case .call: if let plan = HuntPlan(press.button) { try await engine.hunt(plan) }
    case .answer: try await engine.answerRinging()
    case .hangUp: try await engine.hangUpAll()
    case .record:
      let isRecording = await !engine.runningArchives.isEmpty
      _ = isRecording ? try await control.stopArchive(archiveID: nil) : try await control.startArchive(sessionID: nil)
    case .action(let name):
      try await actions.run(ActionRequest(action: name, requester: .button(name: press.button.name)), pin: nil)
    }
  }

  private static func message(for error: any Error) -> String {
    switch error {
    case EngineError.huntRuns: "its people are being called, or one of them has answered"
    case EngineError.notConnected: "the hub cannot be reached"
    case EngineError.noSuchCall: "there is no such call"
    default: "\(error)"
    }
  }
}

extension HuntPlan {
  /// - Parameter name: of the button, or the rule about events.
  init(name: String, _ call: HuntSettings) {
    self.init(
      name: name, parties: call.users.map { CallParty(userID: $0, userTitle: $0) },
      order: call.order == .allAtOnce ? .allAtOnce : .inTurn, ringFor: call.ringFor)
  }

  /// Nil for a button that calls no one.
  init?(_ button: ButtonSettings) {
    guard let call = button.call else { return nil }
    self.init(name: button.name, call)
  }
}
