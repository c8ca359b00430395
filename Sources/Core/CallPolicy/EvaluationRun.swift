/// Goes through a policy's rules and keeps what the unknown ones leave open.
struct EvaluationRun {
  private var traces: [Evaluation.Trace] = []
  /// The strictest of the rules that ring and are unknown, with its place among the traces: it decides if what the rules
  /// end with is freer.
  private var fallback: (decision: PolicyDecision, index: Int)?

  /// Takes the next rule and its decision for the request; returns the decision if no rule below can matter.
  mutating func take(_ ruleName: String, _ decision: PolicyDecision, _ check: RuleCheck) -> PolicyDecision? {
    let strictness = decision.strictness
    let isMatch = check.outcome == .met || check.outcome == .unknown && strictness == .rejects
    let trace = Evaluation.Trace(
      ruleName: ruleName, isMatch: isMatch, reasons: check.reasons,
      ruling: check.outcome == .unknown ? Self.ruling(strictness) : nil)
    traces.append(trace)
    if isMatch { return decision }
    if check.outcome == .unknown, strictness != .answers { keep(decision) }
    return nil
  }

  /// The evaluation when the rules end with `decision`.
  func evaluation(ending decision: PolicyDecision) -> Evaluation {
    guard let fallback, fallback.decision.strictness < decision.strictness else {
      return Evaluation(decision: decision, traces: traces)
    }
    var traces = Array(traces[...fallback.index])
    traces[fallback.index].isMatch = true
    traces[fallback.index].ruling = "matches, because the rules below would admit the call more freely"
    return Evaluation(decision: fallback.decision, traces: traces)
  }

  private mutating func keep(_ decision: PolicyDecision) {
    guard fallback.map({ decision.strictness < $0.decision.strictness }) ?? true else { return }
    fallback = (decision, traces.count - 1)
  }

  private static func ruling(_ strictness: PolicyDecision.Strictness) -> String {
    switch strictness {
    case .rejects: "matches, because the rule refuses"
    case .answers: "does not match, because the rule admits"
    case .asks, .asksThenAnswers: "does not match, because the rules below admit the call no more freely"
    }
  }
}
