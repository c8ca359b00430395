import CallPolicy
import ConfigFile
import Signalling

/// Reads what a rule decides.
struct PolicyDecisionReader {
  let table: ConfigTable
  let keys: PolicyRuleKeys
  /// The names of what callers can see; nil where they are not known.
  let cameras: [String]?

  private static let answerKeys = AnswerKeys.settings.map(\.description.name)
  private static let ringKeys = ["ring_timeout", "then"]

  /// Returns nil when the rule has no usable action.
  func decision() -> PolicyDecision? {
    switch keys.action {
    case .answer:
      refuse(["reason"] + Self.ringKeys, with: "answer")
      return .answer(keys.answer.settings(table, cameras: cameras))
    case .reject:
      refuse(Self.answerKeys + Self.ringKeys, with: "reject")
      return .reject(keys.reason ?? .declined)
    case .ring:
      return ring()
    case nil: return nil
    }
  }

  private func ring() -> PolicyDecision {
    let answer = keys.answer.settings(table, cameras: cameras)
    switch keys.outcome {
    case .answer:
      refuse(["reason"], with: "ring, then answer")
      return .ring(RingSettings(timeout: keys.ringTimeout, then: .answer, answer: answer))
    case .reject:
      let reason = keys.reason ?? .unanswered
      return .ring(RingSettings(timeout: keys.ringTimeout, then: .reject(reason), answer: answer))
    }
  }

  /// A setting that could have no effect is a misunderstanding, thus an error.
  private func refuse(_ keys: [String], with action: String) {
    for key in keys where table.contains(key) {
      table.addError("\(key) has no effect with action \(action)", remedy: "remove it", at: key)
    }
  }
}
