import Signalling

/// Refusals of fields that are too long, so that the other party's memory cannot be filled, or malformed.
enum MessageSizes {
  static func check(_ field: String, _ text: String?, atMost limit: Int) throws(HubRefusal) {
    guard let text, text.utf8.count > limit else { return }
    let size = limit % 1_024 == 0 ? "\(limit / 1_024) KiB" : "\(limit) bytes"
    throw .invalid(field: field, reason: "longer than \(size)")
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
    try check(action: result.action, target: result.target)
    try check(word: result.reason, field: "reason")
    try check(word: result.detail, field: "detail")
  }

  /// - Parameter target: A medium, or a camera's name.
  static func check(action: String, target: String?) throws(HubRefusal) {
    try check(word: action, field: "action")
    guard target.map({ CameraName($0) == nil }) ?? false else { return }
    throw .invalid(field: "target", reason: "must be 1 to 32 lower-case letters, digits, - and _")
  }

  static func check(word: String?, field: String) throws(HubRefusal) {
    guard word.map({ EventCode($0) == nil }) ?? false else { return }
    throw .invalid(field: field, reason: "must consist of at most 64 lower-case letters, digits or dashes")
  }

  /// Types are clients' own: anything that is seen and has no blanks.
  static func check(signalType type: String) throws(HubRefusal) {
    try check("type", type, atMost: MessageLimits.signalType)
    guard type.isEmpty || !type.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return }
    throw .invalid(field: "type", reason: "must be ASCII without blanks")
  }
}
