import CallEngine
import CallPolicy
import DeviceActions
import DeviceConfiguration
import DeviceEvents
import EngineControl
import EventRules
import HubClient
import Logging
import RealtimeRuntime

/// What events set off, put together.
struct EventRuleParts: Sendable {
  let home: HomeFlag
  let evaluator: EventRuleEvaluator
  private let configuration: DeviceConfiguration
  private let logger: Logger

  init(_ configuration: DeviceConfiguration, logger: Logger) {
    (self.configuration, self.logger) = (configuration, logger)
    let home = HomeFlag(path: "\(configuration.identity.stateDirectory)/home", logger: logger)
    self.home = home
    evaluator = EventRuleEvaluator(
      configuration.eventRules,
      EventRuleEvaluator.Environment(
        now: { MonotonicClock.now() }, localTimes: { PolicyClock.localTimes(in: $0) }, isHome: { home.isHome }))
  }

  /// What carries out the rules, and what the control socket asks of them.
  func makeControl(
    _ engine: CallEngine, _ actions: ActionService, _ hub: HubClient, _ events: EventService
  ) -> EventRuleControl {
    let service = EventRuleService(
      evaluator, device: configuration.identity.title, mail: configuration.mail,
      EventRuleEffects(engine, actions, hub).environment(logger: logger))
    return EventRuleControl(
      makeSubject: { source, score in
        events.source(named: source).map {
          EventSubject(kind: $0.kind, source: source, score: score, camera: $0.camera)
        }
      }, evaluator: evaluator, service: service, home: home, setHome: { isHome in try await setHome(isHome) })
  }

  /// Away from the shared pool, which has few threads.
  func setHome(_ isHome: Bool) async throws {
    let home = home
    try await BlockingWork.run(.state) { try home.set(isHome) }
  }
}
