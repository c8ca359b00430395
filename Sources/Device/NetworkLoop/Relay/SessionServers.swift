import ICE
import MediaCore

/// The STUN and TURN servers of one session, and how far finding them has come.
struct SessionServers {
  var list = ICEServerList()
  /// Servers that are being looked up or connected to.
  var pendingCount = 0
  /// No more will be named.
  var areNamed = false
  /// The session has been told that no more will come.
  var areEnded = false
  /// The answer, where it waits for candidates.
  var heldAnswer: NonTrickleAnswer?
}

/// A call whose answer waits until all candidates are known, since its peer cannot be told them later; but not for
/// long.
struct NonTrickleAnswer: Sendable {
  static let limit = TimeSpan.seconds(2)

  let deadline: MonotonicInstant
  let reply: @Sendable (Result<LocalDescription, any Error>) -> Void

  init(now: MonotonicInstant, reply: @escaping @Sendable (Result<LocalDescription, any Error>) -> Void) {
    deadline = now + Self.limit
    self.reply = reply
  }

  /// Whether the peer takes no candidates later (RFC 8840 §4.1.3): an answer names the option only to one that does.
  static func isNeeded(for answer: String) -> Bool {
    !answer.split(whereSeparator: \.isNewline).contains { line in
      line.hasPrefix("a=ice-options:") && line.dropFirst(14).split(separator: " ").contains("trickle")
    }
  }
}
