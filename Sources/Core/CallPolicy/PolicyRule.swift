internal import Signalling

/// One rule: when all its conditions hold, its decision applies. A rule without conditions matches every call.
public struct PolicyRule: Sendable, Hashable {
  /// Names the rule in explanations, logs and archives.
  public let name: String
  public let conditions: [PolicyCondition]
  public let decision: PolicyDecision

  /// - Throws: ``PolicyRuleError`` for a rule that cannot mean what it says.
  public init(name: String, conditions: [PolicyCondition], decision: PolicyDecision) throws(PolicyRuleError) {
    let dependsOnDistanceOnly =
      !conditions.isEmpty
      && conditions.allSatisfy { if case .within = $0 { true } else { false } }
    guard !dependsOnDistanceOnly else { throw .nothingButDistance }
    let hasNoCallers = conditions.contains { if case .caller(let patterns) = $0 { patterns.isEmpty } else { false } }
    guard !hasNoCallers else { throw .noCallers }
    self.name = name
    self.conditions = conditions
    self.decision = decision
  }
}

extension PolicyRule {
  /// The rule's decision about a request: no one is rung for a viewer, whose program waits seconds at most.
  func decision(for request: CallRequest, _ check: inout RuleCheck) -> PolicyDecision {
    guard request.callerRole == .viewer, case .ring = decision, check.outcome != .notMet else { return decision }
    check.note("the rule rings, which it does for no viewer")
    return .reject(.notAllowed)
  }

  /// What becomes of the rule while a condition of its is unknown, a sentence for each cause.
  public var caveats: [String] {
    let verdict =
      switch decision.strictness {
      case .rejects: "it matches, because it refuses"
      case .answers: "it does not match, because it admits"
      case .asks, .asksThenAnswers: "it matches only where the rules below would admit the call more freely"
      }
    return conditions.compactMap({ $0.uncertainty }).map { "rule \"\(name)\": while \($0), \(verdict)" }
  }
}

/// Why a rule is refused.
public enum PolicyRuleError: Error, Sendable, Hashable {
  /// Callers report their own place, so distance must not decide by itself.
  case nothingButDistance
  /// An empty list of callers matches no one, which is never intended.
  case noCallers
}
