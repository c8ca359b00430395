import CallPolicy
import ConfigFile
import Signalling

/// Reads what a rule decides.
struct PolicyDecisionReader {
  let table: ConfigTable
  /// The names of what callers can see; nil where they are not known.
  let cameras: [String]?

  private enum Action: String, CaseIterable { case answer, reject, ring }
  private enum Outcome: String, CaseIterable { case answer, reject }

  private static let answerKeys = [
    "after", "publish", "talk", "max_talkers", "max_duration", "record", "tone", "control", "camera",
  ]
  private static let ringKeys = ["ring_timeout", "then"]

  /// Returns nil when the rule has no usable action.
  func decision() -> PolicyDecision? {
    let action = table.choice("action", as: Action.self)
    if !table.contains("action") { table.addMissing("action", example: "\"answer\"") }
    switch action {
    case .answer:
      refuse(["reason"] + Self.ringKeys, with: "answer")
      return .answer(answerSettings())
    case .reject:
      refuse(Self.answerKeys + Self.ringKeys, with: "reject")
      return .reject(reason())
    case .ring:
      return ring()
    case nil:
      skip(["reason"] + Self.answerKeys + Self.ringKeys)
      return nil
    }
  }

  private func ring() -> PolicyDecision {
    let timeout = table.duration("ring_timeout", default: .seconds(30), in: .seconds(1)...(.seconds(60)))
    let outcome = table.choice("then", as: Outcome.self) ?? .reject
    let answer = answerSettings()
    if outcome == .answer {
      refuse(["reason"], with: "ring, then answer")
      return .ring(RingSettings(timeout: timeout, then: .answer, answer: answer))
    }
    return .ring(RingSettings(timeout: timeout, then: .reject(reason(default: .unanswered)), answer: answer))
  }

  private func reason(default reason: RejectReason = .declined) -> RejectReason {
    table.choice("reason") ?? reason
  }

  private func answerSettings() -> AnswerSettings {
    var settings = AnswerSettings()
    settings.delay = table.duration("after", default: .zero, in: .zero...(.seconds(55)))
    if let media = table.choices("publish", as: PolicyMedium.self) {
      settings.publishesAudio = media.contains(.audio)
      settings.publishesVideo = media.contains(.video)
    }
    settings.mayTalk = table.bool("talk", default: true)
    settings.maxTalkers = table.integer("max_talkers", default: AnswerSettings.usualTalkers, in: 1...64)
    settings.maxDuration = table.duration("max_duration", in: .seconds(1)...(.seconds(7 * 86_400)))
    settings.isRecorded = table.bool("record", default: false)
    settings.playsTone = table.bool("tone", default: true)
    if let control = table.choices("control", as: RemoteControl.self) { settings.control = Set(control) }
    settings.camera = table.view(among: cameras, publishesVideo: settings.publishesVideo)
    return settings
  }

  /// A setting that could have no effect is a misunderstanding, thus an error.
  private func refuse(_ keys: [String], with action: String) {
    for key in keys where table.contains(key) {
      table.addError("\(key) has no effect with action \(action)", remedy: "remove it", at: key)
    }
    skip(keys)
  }

  /// Marks keys as known, so that they are not called unknown besides.
  private func skip(_ keys: [String]) {
    for key in keys { _ = table.node(key) }
  }
}
