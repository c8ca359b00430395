public import CallPolicy
public import ControlMessages
public import DeviceConfiguration
public import Signalling
internal import SystemSupport
public import MediaCore

/// Applies the rules to events as they come, in order, and hands on what is to be done.
public final class EventRuleEvaluator: Sendable {
  /// What surrounds the rules.
  public struct Environment: Sendable {
    public var now: @Sendable () -> MonotonicInstant
    public var localTimes: @Sendable (Set<PolicyTimeZone>) -> [PolicyTimeZone: LocalTime]
    public var isHome: @Sendable () -> Bool

    public init(
      now: @escaping @Sendable () -> MonotonicInstant,
      localTimes: @escaping @Sendable (Set<PolicyTimeZone>) -> [PolicyTimeZone: LocalTime],
      isHome: @escaping @Sendable () -> Bool
    ) {
      self.now = now
      self.localTimes = localTimes
      self.isHome = isHome
    }
  }

  /// What a rule has decided.
  public struct Decision: Sendable {
    public var event: DetectedEvent
    public var rule: EventRuleSettings
    /// Of the moment that decided, as JPEG; nil where there is none.
    public var image: [UInt8]?
  }

  private struct State {
    var responder: EventResponder
    var rules: [EventRuleSettings]
  }

  /// Images wait with them.
  private static let maxWaiting = 16

  private let environment: Environment
  private let state: Mutex<State>
  /// What is to be done; for one reader, who loses the oldest when it falls behind.
  public let decisions: AsyncStream<Decision>
  private let decided: AsyncStream<Decision>.Continuation

  public init(_ rules: [EventRuleSettings], _ environment: Environment) {
    self.environment = environment
    state = Mutex(State(responder: EventResponder(EventPolicy(rules: rules.map(\.rule))), rules: rules))
    (decisions, decided) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maxWaiting))
  }

  deinit { decided.finish() }

  /// Takes over new rules; ongoing events have been judged.
  public func apply(_ rules: [EventRuleSettings]) {
    state.withLock { state in
      state.responder.apply(EventPolicy(rules: rules.map(\.rule)))
      state.rules = rules
    }
  }

  /// An event begins, gets stronger or is over; returns at once. The rule that matches, if one does.
  @discardableResult
  public func take(_ event: DetectedEvent, image: [UInt8]? = nil) -> EventRuleSettings? {
    let circumstances = circumstances()
    let rule = state.withLock { state -> EventRuleSettings? in
      let evaluation = state.responder.take(event, in: circumstances, now: environment.now())
      return evaluation?.place.map { state.rules[$0] }
    }
    if let rule { decided.yield(Decision(event: event, rule: rule, image: image)) }
    return rule
  }

  /// What an event would set off if it began now.
  public func explain(_ event: EventSubject) -> EventExplanation {
    let circumstances = circumstances()
    return state.withLock { state in
      let evaluation = state.responder.evaluate(event, in: circumstances, now: environment.now())
      return EventExplanation(
        evaluation, of: event, isHome: circumstances.isHome,
        effects: evaluation.place.map { state.rules[$0].effects.summary } ?? [])
    }
  }

  private func circumstances() -> EventCircumstances {
    let zones = state.withLock { $0.responder.timeZones }
    return EventCircumstances(isHome: environment.isHome(), localTimes: environment.localTimes(zones))
  }
}
