public import Signalling

/// Decides which calls a device answers (the first rule that matches; without one the call is rejected), and says which
/// it may place.
///
/// A pure value: time, calls and distance are passed in, so an evaluation can be repeated and explained.
public struct CallPolicy: Sendable, Hashable {
  public let rules: [PolicyRule]
  /// The reason given when no rule matches.
  public let defaultReason: RejectReason
  /// What holds for the calls that the device places.
  public let outgoing: OutgoingSettings
  /// The maximum of live calls per caller; further ones are rejected regardless of the rules.
  public let callsPerCaller: Int
  /// Who may use the device's actions.
  public let actions: ActionPolicy
  /// Who may start a manual recording.
  public var recording = RecordingPermissions()

  public init(
    rules: [PolicyRule], defaultReason: RejectReason = .notAllowed, outgoing: OutgoingSettings = OutgoingSettings(),
    callsPerCaller: Int = 2, actions: ActionPolicy = ActionPolicy()
  ) {
    self.rules = rules
    self.defaultReason = defaultReason
    self.outgoing = outgoing
    self.callsPerCaller = callsPerCaller
    self.actions = actions
  }

  /// The time zones whose local time ``evaluate(_:in:)`` and ``actions`` need.
  public var timeZones: Set<PolicyTimeZone> {
    var zones = actions.timeZones
    for rule in rules {
      for case .hours(let hours) in rule.conditions { zones.formUnion(hours.map { $0.timeZone }) }
    }
    return zones
  }

  /// How far back earlier calls matter to any rule; zero when none checks.
  public var longestMemory: Duration {
    let spans = rules.flatMap { $0.conditions }.map { condition -> Duration in
      if case .recentCalls(_, let span) = condition { span } else { .zero }
    }
    return spans.max() ?? .zero
  }

  /// Finds the decision for a call. Never fails.
  ///
  /// Where a rule's conditions are unknown, the stricter holds of what follows with the rule and without it: what
  /// cannot be known never admits. So such a rule matches if it rejects, does not if it answers, and rings only where
  /// the rules below would admit the call more freely.
  public func evaluate(_ request: CallRequest, in circumstances: CallCircumstances = CallCircumstances()) -> Evaluation
  {
    var run = EvaluationRun()
    for rule in rules {
      var check = RuleCheck(rule.conditions.map { $0.check(request, circumstances) })
      let decision = rule.decision(for: request, &check)
      if let decision = run.take(rule.name, decision, check) { return run.evaluation(ending: decision) }
    }
    return run.evaluation(ending: .reject(defaultReason))
  }
}
