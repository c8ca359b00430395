import MediaCore
import PeerSession

/// A session whose description waits until all candidates are known, since its peer takes none later; but not for
/// long.
struct NonTrickleAnswer {
  private static let limit = TimeSpan.seconds(2)

  let running: RunningSession
  let deadline: MonotonicInstant
  let reply: @Sendable (Result<LocalDescription, any Error>) -> Void

  init(
    of running: RunningSession, now: MonotonicInstant,
    reply: @escaping @Sendable (Result<LocalDescription, any Error>) -> Void
  ) {
    self.running = running
    deadline = now + Self.limit
    self.reply = reply
  }

  /// Replies with the session's description as it is now.
  fileprivate func send() { reply(.success(LocalDescription(of: running.session))) }
}

/// The descriptions that wait for candidates. Confined to the network thread.
struct NonTrickleAnswers {
  private var waiting: [NonTrickleAnswer] = []

  /// When ``sendLate(now:)`` has to be called.
  var deadline: MonotonicInstant { waiting.reduce(.distantFuture) { min($0, $1.deadline) } }

  mutating func hold(_ answer: NonTrickleAnswer) { waiting.append(answer) }

  /// Sends those whose time is over.
  mutating func sendLate(now: MonotonicInstant) {
    while let index = waiting.firstIndex(where: { $0.deadline <= now }) { waiting.remove(at: index).send() }
  }

  /// Takes the candidates of a session whose description waits, since it will contain them; the last one sends it.
  ///
  /// - Returns: false for all else.
  mutating func handle(_ event: PeerSessionEvent, of running: RunningSession) -> Bool {
    guard case .candidateGathered(let candidate) = event,
      let index = waiting.firstIndex(where: { $0.running === running })
    else { return false }
    if candidate.isEmpty { waiting.remove(at: index).send() }
    return true
  }

  /// A session is over: the answer that waits fails.
  mutating func cancel(of running: RunningSession) {
    guard let index = waiting.firstIndex(where: { $0.running === running }) else { return }
    waiting.remove(at: index).reply(.failure(NetworkLoopError.ended))
  }
}
