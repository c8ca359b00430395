public import CallEngine
import CallPolicy
public import DeviceActions
public import DeviceConfiguration
public import Logging
import Signalling

/// Does what presses of the device's buttons ask for.
public struct ButtonCommands: Sendable {
  private let engine: CallEngine
  private let control: EngineControl
  private let actions: ActionService
  private let logger: Logger

  public init(_ engine: CallEngine, _ control: EngineControl, _ actions: ActionService, logger: Logger) {
    (self.engine, self.control, self.actions, self.logger) = (engine, control, actions, logger)
  }

  /// Returns when it is done, or begun; what comes of it stands in the journal.
  public func perform(_ action: ButtonAction, of button: ButtonSettings) async {
    do {
      try await attempt(action, of: button)
    } catch is ActionRefusal {
      // Each use of an action is logged where it is judged.
    } catch {
      logger.notice("button \"\(button.name)\": failed: \(Self.message(for: error))")
    }
  }

  private func attempt(_ action: ButtonAction, of button: ButtonSettings) async throws {
    switch action {
    case .call: if let plan = HuntPlan(button) { try await engine.hunt(plan) }
    case .answer: try await engine.answerRinging()
    case .hangUp: try await engine.hangUpAll()
    case .record:
      let isRecording = await !engine.runningArchives.isEmpty
      _ = isRecording ? try await control.stopArchive(archiveID: nil) : try await control.startArchive(sessionID: nil)
    case .action(let name):
      try await actions.run(ActionRequest(action: name, requester: .button(name: button.name)), pin: nil)
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
  public init(name: String, _ call: HuntSettings) {
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
