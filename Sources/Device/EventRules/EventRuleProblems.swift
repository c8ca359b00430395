import ControlMessages
import MediaPlaneAPI

/// What of the effects of rules does not work: one problem of each kind, until the next of its kind is done.
struct EventRuleProblems: Sendable {
  private var problems: [EventEffect.Kind: ProblemStatus] = [:]

  /// - Parameters:
  ///   - failure: nil where it works.
  ///   - now: milliseconds since 1970.
  mutating func note(_ failure: String?, of kind: EventEffect.Kind, now: Int64) {
    guard let failure else {
      if problems[kind]?.lasts == true { problems[kind]?.until = now }
      return
    }
    if problems[kind]?.lasts == true {
      problems[kind]?.text = failure
    } else {
      problems[kind] = ProblemStatus(part: .eventRules, text: failure, since: now)
    }
  }

  /// All that lasts as one, since there is one line a part; else what was last over.
  var status: ProblemStatus? {
    let lasting = EventEffect.Kind.allCases.compactMap { problems[$0] }.filter(\.lasts)
    guard !lasting.isEmpty else { return problems.values.max { ($0.until ?? 0) < ($1.until ?? 0) } }
    return ProblemStatus(
      part: .eventRules, text: lasting.map(\.text).joined(separator: "; "), since: lasting.compactMap(\.since).min())
  }
}
