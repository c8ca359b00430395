/// Decides what an event sets off: the first rule that matches; without one nothing.
///
/// A pure value: time, presence at home and recent uses are passed in.
public struct EventPolicy: Sendable, Hashable {
  public let rules: [EventRule]

  public init(rules: [EventRule] = []) { self.rules = rules }

  /// The time zones whose local time ``evaluate(_:in:above:)`` needs.
  public var timeZones: Set<PolicyTimeZone> { Set(rules.flatMap { $0.hours ?? [] }.map { $0.timeZone }) }

  /// Finds the rule for an event. Never fails.
  ///
  /// Unknown facts trigger nothing: a rule with hours does not match while the clock is not trusted.
  ///
  /// - Parameter place: rules from this index on are skipped: a weaker moment of the event has decided by that one.
  public func evaluate(
    _ event: EventSubject, in circumstances: EventCircumstances, above place: Int? = nil
  ) -> EventEvaluation {
    var traces: [Evaluation.Trace] = []
    for (index, rule) in rules.enumerated().prefix(place ?? rules.count) {
      let check = rule.check(event, circumstances)
      traces.append(
        Evaluation.Trace(
          ruleName: rule.name, isMatch: check.outcome == .met, reasons: check.reasons,
          ruling: check.outcome == .unknown ? "does not match, because what is unknown sets nothing off" : nil))
      if check.outcome == .met { return EventEvaluation(place: index, rule: rule, traces: traces) }
    }
    return EventEvaluation(place: nil, rule: nil, traces: traces)
  }
}

/// What the rules say of an event and how that came about.
public struct EventEvaluation: Sendable, Hashable {
  /// The index of the rule that matched; nil when none did.
  public let place: Int?
  public let rule: EventRule?
  /// The rules that were checked, in order.
  public let traces: [Evaluation.Trace]
}
