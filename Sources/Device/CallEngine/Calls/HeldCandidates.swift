/// Candidates of both sides of a connection, each until those who take them know the connection.
struct HeldCandidates: Sendable {
  /// Of this side: as many as the hub takes at once.
  private static let maximumOwn = 64

  private var budget = CandidateBudget()
  private var own: [String] = []
  private var remote: [String] = []

  /// Candidates of the other side that were too many or too long.
  var dropped: Int { budget.dropped }

  /// Takes candidates of the other side.
  ///
  /// - Parameter isReady: whether the media plane can take them; else they wait for ``release()``.
  mutating func take(_ candidates: [String], isReady: Bool) -> [MediaAction] {
    remote += budget.take(candidates)
    return isReady ? release() : []
  }

  /// What the other side's candidates come to once the media plane can take them.
  mutating func release() -> [MediaAction] {
    defer { remote = [] }
    return remote.isEmpty ? [] : [.addCandidates(remote)]
  }

  /// Keeps candidates of this side until the other side knows what they belong to.
  mutating func hold(_ candidates: [String]) {
    if own.count + candidates.count <= Self.maximumOwn { own += candidates }
  }

  /// Candidates of this side that waited; nil for none.
  mutating func popOwn() -> [String]? {
    defer { own = [] }
    return own.isEmpty ? nil : own
  }

  /// Gives up what waits.
  mutating func removeAll() { (own, remote) = ([], []) }
}
