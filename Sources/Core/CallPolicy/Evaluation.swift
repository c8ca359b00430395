/// A policy's decision about one call and how it came about.
public struct Evaluation: Sendable, Hashable {
  /// What one rule said.
  public struct Trace: Sendable, Hashable {
    public var ruleName: String
    public var isMatch: Bool
    /// Why it matched, every condition that did not hold, or what is unknown. Empty for a match without conditions.
    public var reasons: [String]
    /// Why a rule whose conditions are unknown matched or did not; nil for others.
    public var ruling: String?
  }

  public let decision: PolicyDecision
  /// The rules that were checked, in order; only the last can be a match.
  public let traces: [Trace]

  /// The rule that decided; nil when none matched.
  public var ruleName: String? {
    guard let last = traces.last, last.isMatch else { return nil }
    return last.ruleName
  }
}

extension Evaluation.Trace: CustomStringConvertible {
  public var description: String {
    let reason = reasons.isEmpty ? "it matches every call" : reasons.joined(separator: "; ")
    let text = ruling.map { "unknown: \(reason) — \($0)" } ?? reason
    return "\(isMatch ? "matches" : "no match"): \"\(ruleName)\": \(text)"
  }
}

extension Evaluation: CustomStringConvertible {
  /// One line a rule, then the decision.
  public var lines: [String] {
    traces.map { $0.description } + (ruleName == nil ? ["no rule matches: the default holds"] : [])
      + ["decision: \(decision)"]
  }

  public var description: String { lines.joined(separator: "\n") }
}
