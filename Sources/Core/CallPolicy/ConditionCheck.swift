/// A condition's result for one call. Unknown is neither true nor false.
struct ConditionCheck: Sendable, Hashable {
  enum Outcome: Sendable, Hashable {
    case met
    case notMet
    case unknown
  }

  let outcome: Outcome
  /// Explains the outcome.
  let text: String

  init(_ isMet: Bool, _ text: String) {
    outcome = isMet ? .met : .notMet
    self.text = text
  }

  init(unknown reason: String) {
    outcome = .unknown
    text = reason
  }
}

/// The result of all conditions of a rule: one that fails decides it, even if others are unknown.
struct RuleCheck: Sendable, Hashable {
  let outcome: ConditionCheck.Outcome
  /// Why it matches, every condition that does not hold, or what is unknown.
  private(set) var reasons: [String]

  mutating func note(_ reason: String) { reasons.append(reason) }

  init(_ checks: [ConditionCheck]) {
    let worst: ConditionCheck.Outcome =
      checks.contains { $0.outcome == .notMet }
      ? .notMet : checks.contains { $0.outcome == .unknown } ? .unknown : .met
    outcome = worst
    reasons = checks.filter { $0.outcome == worst }.map { $0.text }
  }
}
