/// A policy's decision about one call and how it came about.
public struct Evaluation: Sendable, Hashable {
  /// What one rule said.
  public struct Trace: Sendable, Hashable {
    public var ruleName: String
    public var isMatch: Bool
    /// Why it matched, or every condition that did not hold. Empty for a match without conditions.
    public var reasons: [String]
  }

  public let decision: PolicyDecision
  /// The rules that were looked at, in order; only the last can be a match.
  public let traces: [Trace]

  /// The rule that decided; nil when none matched.
  public var ruleName: String? {
    guard let last = traces.last, last.isMatch else { return nil }
    return last.ruleName
  }
}

extension Evaluation: CustomStringConvertible {
  /// One line a rule, then the decision.
  public var description: String {
    var lines = traces.map { trace in
      let reasons = trace.reasons.isEmpty ? "it matches every call" : trace.reasons.joined(separator: "; ")
      return "\(trace.isMatch ? "matches" : "no match"): \"\(trace.ruleName)\": \(reasons)"
    }
    if ruleName == nil { lines.append("no rule matches: the default holds") }
    lines.append("decision: \(decision)")
    return lines.joined(separator: "\n")
  }
}
