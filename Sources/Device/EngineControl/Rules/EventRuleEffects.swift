public import CallEngine
import CallPolicy
import Delivery
public import DeviceActions
import DeviceConfiguration
public import EventRules
public import HubClient
public import Logging
import RealtimeRuntime
import Signalling

/// What rules about events have done: calls by the engine, actions, reports by the hub.
public struct EventRuleEffects: Sendable {
  private let engine: CallEngine
  private let actions: ActionService
  private let hub: HubClient

  public init(_ engine: CallEngine, _ actions: ActionService, _ hub: HubClient) {
    (self.engine, self.actions, self.hub) = (engine, actions, hub)
  }

  /// What ``EventRules/EventRuleService`` works with.
  public func environment(logger: Logger) -> EventRuleService.Environment {
    EventRuleService.Environment(
      logger: logger, call: { try await call($0, $1) }, runAction: { try await actions.run($0, pin: nil) },
      report: { await report($0) }, push: { await push($0) }, wallTime: { wallClockMilliseconds() },
      noteUse: { use in
        engine.note(
          .eventRule(EventRuleUse(eventID: use.eventID, rule: use.rule, effect: use.effect, failure: use.failure)))
      }, pageAddress: { [hub] in await hub.pageAddress(ofEvent: $0) })
  }

  /// Rings at the rule's people, unless they are being called or talked with because of it already.
  private func call(_ rule: String, _ call: HuntSettings) async throws {
    do {
      try await engine.hunt(HuntPlan(name: rule, call))
    } catch .huntRuns {
      return
    } catch {
      throw EventCallFailure(error: error)
    }
  }

  private func report(_ event: DetectedEvent) async -> Delivery<DetectedEvent>.Outcome {
    do {
      try await hub.report(event)
      return .delivered
    } catch {
      return error.mayPass ? .failed("\(error)", retryAfter: error.retryAfter) : .refused("\(error)")
    }
  }

  private func push(_ request: EventPushRequest) async -> Delivery<EventPushRequest>.Outcome {
    do {
      let grant = try await hub.push(request)
      return grant.browsers > 0 ? .delivered : .refused(Self.noBrowsers)
    } catch {
      return error.mayPass ? .failed("\(error)", retryAfter: error.retryAfter) : .refused("\(error)")
    }
  }

  private static let noBrowsers = """
    none of these people shares a group with this device and has ticked "Ring this device when the page is closed"
    """
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
