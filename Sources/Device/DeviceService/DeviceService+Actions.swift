import CallPolicy
import CallEngine
import ConfigFile
import DeviceActions
import DeviceConfiguration
import Logging
import MediaCore
import MediaPipeline
import RealtimeRuntime
import Signalling

extension DeviceService {
  func makeActions(_ policy: CallPolicy, _ stills: SnapshotEncoder, _ rules: EventRuleParts) -> ActionService {
    let images = ActionImages(
      folder: ActionImageFolder(path: "\(configuration.identity.stateDirectory)/actions"), stills: stills,
      logger: logger)
    let (logger, directory) = (logger, options.environment["CREDENTIALS_DIRECTORY"])
    let environment = ActionService.Environment(
      logger: logger, now: { MonotonicClock.now() }, localTimes: { PolicyClock.localTimes(in: $0.timeZones) },
      readPIN: { $0.read(credentialsDirectory: directory, logger) }, keepImage: { images.keep(of: $0, $1) },
      setHome: { try await rules.setHome($0) })
    return ActionService(configuration.actions, policy: policy, environment)
  }

  /// Notifies watchers of the device of each use of an action; runs until the task is cancelled.
  func showUses(of actions: ActionService, _ engine: CallEngine) async {
    for await use in actions.uses {
      let shown = ActionUse(
        action: use.request.action, requester: "\(use.request.requester)", userID: use.request.requester.party?.userID,
        sessionID: use.sessionID.flatMap { SessionID($0) }, refusal: use.refusal.map { "\($0)" })
      engine.note(.action(shown))
    }
  }
}

extension ActionRule.PINSource {
  /// Reads the PIN; nil, and a line in the log, where that cannot be done.
  fileprivate func read(credentialsDirectory: String?, _ logger: Logger) -> String? {
    let path: String
    switch self {
    case .file(let file): path = file
    case .credential(let name):
      guard let credentialsDirectory else {
        logger.error("the credential \(name) of a PIN is not there: the daemon was given none")
        return nil
      }
      path = "\(credentialsDirectory)/\(name)"
    }
    do {
      return try SecretFile.read(path: path)
    } catch {
      logger.error("a PIN cannot be read: \(error)")
      return nil
    }
  }
}

/// Actions for parties of calls.
struct PartyActions: CallActions {
  let service: ActionService

  func offers(to party: ActionParty) async -> ActionOffers {
    let offers = await service.offers(to: .party(party), isInCall: true)
    return ActionOffers(actions: offers.map { ActionOffers.Offer(name: $0.name, needsPIN: $0.needsPIN) })
  }

  func dialledActions(for party: ActionParty) async -> [DialledAction] {
    await service.dialledActions(for: .party(party))
  }

  func run(_ command: ActionCommand, for party: ActionParty, in sessionID: SessionID) async -> ActionAnswer {
    let request = ActionRequest(action: command.name, requester: .party(party), isInCall: true)
    do throws(ActionRefusal) {
      try await service.run(request, pin: command.pin, sessionID: sessionID.text)
      return ActionAnswer(name: command.name, isDone: true)
    } catch {
      return ActionAnswer(name: command.name, isDone: false, reason: error.reasonCode, wait: error.waitSeconds)
    }
  }
}
