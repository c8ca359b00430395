/// Decides who may use which action: the first rule that matches decides; without one the request is refused.
public struct ActionPolicy: Sendable, Hashable {
  public let rules: [ActionRule]

  public init(rules: [ActionRule] = []) { self.rules = rules }

  var timeZones: Set<PolicyTimeZone> { Set(rules.flatMap { $0.hours ?? [] }.map { $0.timeZone }) }

  /// Finds the rule for a request. Never fails.
  ///
  /// Unknown facts never admit: a rule with something unknown matches if it refuses, and does not if it allows.
  public func evaluate(
    _ request: ActionRequest, localTimes: [PolicyTimeZone: LocalTime] = [:]
  ) -> ActionEvaluation {
    var traces: [Evaluation.Trace] = []
    for rule in rules {
      let check = rule.check(request, localTimes)
      let isMatch = check.outcome == .met || check.outcome == .unknown && !rule.allows
      traces.append(
        Evaluation.Trace(
          ruleName: rule.name, isMatch: isMatch, reasons: check.reasons,
          ruling: check.outcome == .unknown ? Self.ruling(rule) : nil))
      if isMatch { return ActionEvaluation(rule: rule, traces: traces) }
    }
    return ActionEvaluation(rule: nil, traces: traces)
  }

  private static func ruling(_ rule: ActionRule) -> String {
    rule.allows ? "does not match, because the rule allows" : "matches, because the rule refuses"
  }
}

/// A policy's decision about one use of an action and how it came about.
public struct ActionEvaluation: Sendable, Hashable {
  /// The rule that matched; nil when none did.
  public let rule: ActionRule?
  /// The rules that were checked, in order.
  public let traces: [Evaluation.Trace]

  /// The rule that allows the action, whose limit and PIN are still to be checked; nil when it is refused.
  public var permittingRule: ActionRule? { rule.flatMap { $0.allows ? $0 : nil } }
}

extension ActionEvaluation {
  /// One line a rule, then the decision.
  public var lines: [String] {
    traces.map { $0.description } + (rule == nil ? ["no rule matches: the default holds"] : [])
      + ["decision: \(decision)"]
  }

  /// As text: whether it is allowed, and what is still to be checked.
  public var decision: String {
    guard let rule = permittingRule else { return "refuse" }
    let limit = rule.limit.map { ", at most \($0)" } ?? ""
    return "allow\(rule.pin == nil ? "" : ", with the PIN")\(limit)"
  }
}
