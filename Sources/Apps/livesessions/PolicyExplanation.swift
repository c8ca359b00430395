import CallPolicy

/// What `livesessions policy explain --json` and `action explain --json` print: keys are an interface to other programs.
struct PolicyExplanation: Encodable {
  struct Rule: Encodable {
    var name: String
    var isMatch: Bool
    /// Why it matches, every condition that does not hold, or what is unknown.
    var reasons: [String]
    /// Why a rule whose conditions are unknown matches or does not.
    var ruling: String?
  }

  /// `answer`, `reject` or `ring`; of an action `allow` or `refuse`.
  var decision: String
  /// The decision with all that it sets, as text.
  var text: String
  /// The rule that decides; absent when the default does.
  var rule: String?
  /// Those that were checked, in order.
  var rules: [Rule]
  /// The id of the user that was checked.
  var caller: String
  /// Milliseconds since 1970; absent for now.
  var time: Int64?
  /// How the caller's name was understood.
  var note: String?

  init(_ evaluation: Evaluation, caller: String) {
    decision = evaluation.decision.name
    text = "\(evaluation.decision)"
    rule = evaluation.ruleName
    rules = evaluation.traces.map(Rule.init)
    self.caller = caller
  }

  init(_ evaluation: ActionEvaluation, caller: String) {
    decision = evaluation.permittingRule == nil ? "refuse" : "allow"
    text = evaluation.decision
    rule = evaluation.rule?.name
    rules = evaluation.traces.map(Rule.init)
    self.caller = caller
  }
}

extension PolicyExplanation.Rule {
  fileprivate init(_ trace: Evaluation.Trace) {
    self.init(name: trace.ruleName, isMatch: trace.isMatch, reasons: trace.reasons, ruling: trace.ruling)
  }
}

extension PolicyExplanation {
  /// Prints it for programs, or `lines` for people.
  func show(isJSON: Bool, lines: [String]) throws {
    if isJSON { return try Output.printJSON(self) }
    if let note { Output.printLine("caller: \(note)") }
    if let time { Output.printLine("time: \(Output.weekday(time)) \(Output.time(time))") }
    for line in lines.dropLast() { Output.printLine(line) }
    if let last = lines.last { Output.printStyled(last, ["answer", "allow"].contains(decision) ? .good : .caution) }
  }
}

extension PolicyDecision {
  fileprivate var name: String {
    switch self {
    case .answer: "answer"
    case .reject: "reject"
    case .ring: "ring"
    }
  }
}
