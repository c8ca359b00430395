import CallEngine
import CallPolicy
import DeviceActions
import DeviceConfiguration
import EngineControl
import MediaCore
import MediaPipeline
import RealtimeRuntime
import SystemSupport

extension DeviceService {
  func makeActions(
    _ policy: CallPolicy, _ stills: SnapshotEncoder, _ rules: EventRuleParts, _ recording: RecordedDevice
  ) -> ActionService {
    let images = ActionImages(
      folder: ActionImageFolder(path: "\(configuration.identity.stateDirectory)/actions"), logger: logger
    ) {
      await stills.next()
    }
    let (logger, directory) = (logger, options.credentialsDirectory)
    let environment = ActionService.Environment(
      logger: logger, now: { MonotonicClock.now() }, localTimes: { PolicyClock.localTimes(in: $0.timeZones) },
      readPIN: { $0.read(credentialsDirectory: directory, logger) }, keepImage: { images.keep(of: $0, $1) },
      setHome: { try await rules.setHome($0) }, setRecording: { try await recording.setRecording($0) })
    return ActionService(configuration.actions, policy: policy, environment)
  }

  /// Notifies watchers of the device of each use of an action; runs until the task is cancelled.
  func showUses(of actions: ActionService, _ engine: CallEngine) async {
    for await use in actions.uses { engine.note(.action(ActionUse(use))) }
  }

  /// Works until the task is cancelled; without buttons there is nothing to be done.
  func watchButtons(_ engine: CallEngine, _ control: EngineControl, _ actions: ActionService) async {
    guard !configuration.buttons.isEmpty else { return }
    let commands = ButtonCommands(engine, control, actions, logger: logger)
    await ButtonPanel(configuration.buttons, logger: logger) { await commands.perform($0.action, of: $0.button) }.run()
  }
}

/// The engine as actions need it, which are made before it.
final class RecordedDevice: Sendable {
  private let engine = Mutex<CallEngine?>(nil)

  func set(_ engine: CallEngine) { self.engine.withLock { $0 = engine } }

  func setRecording(_ isWanted: Bool) async throws {
    guard let engine = engine.withLock({ $0 }) else { return }
    try await engine.setManualRecording(isWanted)
  }
}
