import Signalling

/// Refusals of fields that are too long, so that nobody fills the other party's memory.
enum MessageSizes {
  static func check(_ field: String, _ text: String?, atMost limit: Int) throws(HubRefusal) {
    guard let text, text.utf8.count > limit else { return }
    let words = limit % 1_024 == 0 ? "\(limit / 1_024) KiB" : "\(limit) bytes"
    throw .invalid(field: field, reason: "longer than \(words)")
  }

  static func check(description: String, field: String) throws(HubRefusal) {
    try check(field, description, atMost: MessageLimits.description)
  }

  static func check(_ candidates: [SessionCandidates.Candidate], atMost count: Int) throws(HubRefusal) {
    guard candidates.count <= count else { throw .invalid(field: "candidates", reason: "more than \(count)") }
    guard let index = candidates.firstIndex(where: { $0.byteCount > MessageLimits.candidate }) else { return }
    throw .invalid(field: "candidates.[\(index)]", reason: "longer than 1 KiB")
  }

  static func check(_ result: SessionControlResult) throws(HubRefusal) {
    try check("action", result.action, atMost: MessageLimits.word)
    try check("target", result.target, atMost: MessageLimits.word)
    try check("reason", result.reason, atMost: MessageLimits.word)
  }
}
