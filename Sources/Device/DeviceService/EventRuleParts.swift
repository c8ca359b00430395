import CallEngine
import CallPolicy
import ControlMessages
import Delivery
import DeviceActions
import DeviceConfiguration
import DeviceEvents
import EngineControl
import EventRules
import Glibc
import HubClient
import Logging
import RealtimeRuntime
import Signalling

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
    EventRuleControl(
      makeSubject: { source, score in
        events.source(named: source).map {
          EventSubject(kind: $0.kind, source: source, score: score, camera: $0.camera)
        }
      }, evaluator: evaluator, service: makeService(engine, actions, hub), home: home,
      setHome: { isHome in try await setHome(isHome) })
  }

  /// Away from the shared pool, which has few threads.
  func setHome(_ isHome: Bool) async throws {
    let home = home
    try await BlockingWork.run(.state) { try home.set(isHome) }
  }

  private func makeService(_ engine: CallEngine, _ actions: ActionService, _ hub: HubClient) -> EventRuleService {
    let environment = EventRuleService.Environment(
      logger: logger, call: { try await Self.call($0, $1, engine) },
      runAction: { try await actions.run($0, pin: nil) }, report: { await Self.report($0, to: hub) },
      wallTime: { wallClockMilliseconds() },
      noteUse: { use in
        engine.note(
          .eventRule(EventRuleUse(eventID: use.eventID, rule: use.rule, effect: use.effect, failure: use.failure)))
      })
    return EventRuleService(evaluator, device: configuration.identity.title, mail: configuration.mail, environment)
  }

  /// Rings at the rule's people, unless they are being called or talked with because of it already.
  private static func call(_ rule: String, _ call: HuntSettings, _ engine: CallEngine) async throws {
    do {
      try await engine.hunt(HuntPlan(name: rule, call))
    } catch .huntRuns {
      return
    } catch {
      throw EventCallFailure(error: error)
    }
  }

  private static func report(
    _ event: DetectedEvent, to hub: HubClient
  ) async -> Delivery<DetectedEvent>.Outcome {
    do {
      try await hub.report(event)
      return .delivered
    } catch {
      return error.mayPass ? .failed("\(error)", retryAfter: error.retryAfter) : .refused("\(error)")
    }
  }
}

private struct EventCallFailure: Error, CustomStringConvertible {
  let error: EngineError

  var description: String {
    switch error {
    case .notConnected: "the hub cannot be reached"
    case .stopped: "the daemon is being stopped"
    case .noSuchCall, .noSuchArchive, .archiveRefused, .invalidMessage, .notAllowed, .alreadyInCall, .huntRuns,
      .invalidHunt, .tooManyCalls:
      "\(error)"
    }
  }
}
