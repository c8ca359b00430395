public import CallPolicy
import Signalling

/// What the rules say of an event, and why: what `EventExplain` returns and `livesessions events explain --json` prints.
public struct EventExplanation: Codable, Sendable, Hashable {
  public struct Rule: Codable, Sendable, Hashable {
    public var name: String
    public var isMatch: Bool
    /// Why it matches, every condition that does not hold, or what is unknown.
    public var reasons: [String]
    /// Why a rule whose conditions are unknown does not match.
    public var ruling: String?
  }

  public var source: String
  public var kind: String
  /// 0 to 100.
  public var score: Int
  public var isHome: Bool
  /// The rule that matches; absent when none does.
  public var rule: String?
  /// What it does, as text; nothing for a rule that has events ignored.
  public var effects: [String]
  /// Those that were evaluated, in order.
  public var rules: [Rule]

  /// - Parameter effects: of the rule that matches.
  public init(_ evaluation: EventEvaluation, of event: EventSubject, isHome: Bool, effects: [String]) {
    (source, kind, score) = (event.source, event.kind.rawValue, event.score)
    self.isHome = isHome
    self.effects = effects
    rule = evaluation.rule?.name
    rules = evaluation.traces.map {
      Rule(name: $0.ruleName, isMatch: $0.isMatch, reasons: $0.reasons, ruling: $0.ruling)
    }
  }

  /// One line a rule, then what is done.
  public var lines: [String] {
    let verdict = effects.isEmpty ? "nothing" : effects.joined(separator: "; ")
    return rules.map(\.line) + (rule == nil ? ["no rule matches"] : []) + ["sets off: \(verdict)"]
  }
}

extension EventExplanation.Rule {
  fileprivate var line: String {
    let joined = reasons.joined(separator: "; ")
    let text = ruling.map { "unknown: \(joined) — \($0)" } ?? joined
    return "\(isMatch ? "matches" : "no match"): \"\(name)\": \(text)"
  }
}

/// The input of `EventExplain`.
public struct EventExplainParameters: VarlinkParameters {
  /// A source's name in the configuration.
  public var source: String
  /// 0 to 100; 100 without it.
  public var score: Int?

  public init(source: String, score: Int? = nil) {
    self.source = source
    self.score = score
  }
}

public struct EventExplainReply: Codable, Sendable {
  public var explanation: EventExplanation
  public init(explanation: EventExplanation) { self.explanation = explanation }
}

/// The input of `SetHome`.
public struct SetHomeParameters: VarlinkParameters {
  public var isHome: Bool
  public init(isHome: Bool) { self.isHome = isHome }
}
