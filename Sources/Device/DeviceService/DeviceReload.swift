import CallEngine
import ControlMessages
import DeviceActions
import DeviceConfiguration
import DeviceEvents
import DeviceMedia
import EngineControl
import EventRules
import JournalLogging
import Logging

/// Reads policy and configuration again, and puts them in force while calls are up. Calls of it come one after the other.
struct DeviceReload: Sendable {
  let options: DeviceService.Options
  /// With which the daemon was started.
  let started: DeviceConfiguration
  let engine: CallEngine
  let actions: ActionService
  let rules: EventRuleControl
  let events: EventService
  let center: EventCenter
  let media: DeviceMedia
  let logLevel: SharedLogLevel
  let logger: Logger

  /// - Throws: the mistakes of both files, as ``ControlMessages/DeviceControlError/invalidConfiguration(message:)``; then
  ///   nothing has changed.
  func run() async throws {
    await apply(try plan())
  }

  private func plan() throws(DeviceControlError) -> ReloadPlan {
    do {
      return try ReloadPlan(
        policyPath: options.policyPath, configurationPath: options.configurationPath, started: started)
    } catch {
      throw .invalidConfiguration(message: "\(error)")
    }
  }

  /// Cannot fail. Who may call, have actions done, and be called because of events changes in one step, between two of the
  /// engine; what is captured and where mails go before it, so that it is there; whose events are noticed after it, so that
  /// the new rules judge what a new source notices first.
  private func apply(_ plan: ReloadPlan) async {
    let configuration = plan.configuration
    logLevel.value = Logger.Level(configuration.log.level)
    for notice in plan.notices { logger.notice("\(notice)") }
    await rules.service.apply(configuration.mail)
    await media.apply(configuration.mediaChanges)
    await engine.apply(configuration.engineSettings(policy: plan.policy)) {
      actions.apply(plan.policy)
      rules.evaluator.apply(configuration.eventRules)
    }
    await events.apply(configuration.events, center)
  }
}

extension Logger.Level {
  init(_ level: LogSettings.Level) { self = Logger.Level(rawValue: level.rawValue) ?? .info }
}
