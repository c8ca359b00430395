public import Signalling

/// Decides which calls a device answers (the first rule that matches; without one the call is rejected), and says which
/// it may place.
///
/// A pure value: time, calls and distance are handed in, so an evaluation can be repeated and explained.
public struct CallPolicy: Sendable, Hashable {
  public let rules: [PolicyRule]
  /// The reason given when no rule matches.
  public let defaultReason: RejectReason
  /// What holds for the calls that the device places.
  public let outgoing: OutgoingSettings

  public init(
    rules: [PolicyRule], defaultReason: RejectReason = .notAllowed, outgoing: OutgoingSettings = OutgoingSettings()
  ) {
    self.rules = rules
    self.defaultReason = defaultReason
    self.outgoing = outgoing
  }

  /// The time zones whose local time ``evaluate(_:in:)`` needs.
  public var timeZones: Set<PolicyTimeZone> {
    var zones: Set<PolicyTimeZone> = []
    for rule in rules {
      for case .hours(let hours) in rule.conditions { zones.formUnion(hours.map(\.timeZone)) }
    }
    return zones
  }

  /// How far back earlier calls matter to any rule; zero when none looks.
  public var longestMemory: Duration {
    let spans = rules.flatMap(\.conditions).map { condition -> Duration in
      if case .recentCalls(_, let span) = condition { span } else { .zero }
    }
    return spans.max() ?? .zero
  }

  /// Finds the decision for a call. Never fails.
  public func evaluate(_ request: CallRequest, in circumstances: CallCircumstances = CallCircumstances()) -> Evaluation
  {
    var traces: [Evaluation.Trace] = []
    for rule in rules {
      let checks = rule.conditions.map { $0.check(request, circumstances) }
      let failures = checks.filter { !$0.isMet }
      let reasons = (failures.isEmpty ? checks : failures).map(\.text)
      traces.append(Evaluation.Trace(ruleName: rule.name, isMatch: failures.isEmpty, reasons: reasons))
      if failures.isEmpty { return Evaluation(decision: rule.decision, traces: traces) }
    }
    return Evaluation(decision: .reject(defaultReason), traces: traces)
  }
}
