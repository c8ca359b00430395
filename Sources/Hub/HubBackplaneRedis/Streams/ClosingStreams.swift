internal import HubCore
internal import Locking
internal import RedisClient

/// Streams that have ended on this node and are still open in Redis: closed there in batches, and again until Redis has
/// taken it, since a user is online as long as one is open there.
///
/// Bounded by the connections of the node: while Redis is away no stream opens.
final class ClosingStreams: Sendable {
  private struct Entry {
    var name: StreamName
    /// Under which name the node had it.
    var node: String
  }

  private struct State {
    var waiting: [Entry] = []
    var isDraining = false

    mutating func takeBatch(_ count: Int) -> ArraySlice<Entry> {
      let batch = waiting.prefix(count)
      waiting.removeFirst(batch.count)
      if batch.isEmpty { isDraining = false }
      return batch
    }
  }

  private static let batch = 200
  private let link: RedisLink
  private let limits: HubLimits
  /// Told what is left of a user who had several streams.
  private let announce: @Sendable (PresenceAnnouncement) async throws(HubRefusal) -> Void
  private let state = Mutex(State())

  init(
    link: RedisLink, limits: HubLimits,
    announce: @escaping @Sendable (PresenceAnnouncement) async throws(HubRefusal) -> Void
  ) {
    (self.link, self.limits, self.announce) = (link, limits, announce)
  }

  func close(_ name: StreamName, node: String) {
    state.withLock { $0.waiting.append(Entry(name: name, node: node)) }
    drainSoon()
  }

  /// Tries again what could not be closed.
  func retry() {
    if state.withLock({ !$0.waiting.isEmpty }) { drainSoon() }
  }

  private func drainSoon() {
    let begins = state.withLock { state in
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if begins { Task { await drain() } }
  }

  private func drain() async {
    while true {
      let batch = state.withLock { $0.takeBatch(Self.batch) }
      guard !batch.isEmpty else { return }
      do {
        try await close(batch)
      } catch {
        return state.withLock { state in
          state.waiting.insert(contentsOf: batch, at: 0)
          state.isDraining = false
        }
      }
    }
  }

  private func close(_ batch: ArraySlice<Entry>) async throws(HubRefusal) {
    let closing = batch.map { Upkeep.closing($0.name.streamID, of: $0.name.userID, limits: limits) }
    let replies = try await link.run(closing.flatMap(\.self))
    for reply in replies where reply[1].integer == 1 {
      guard let presence = StoredPresence(reply[2]) else { continue }
      try await announce(presence.announcement(isOnline: presence.isShown))
    }
    for (node, entries) in Dictionary(grouping: batch, by: \.node) {
      try await link.run(RedisCommand("SREM", [RedisKeys.users(ofNode: node)] + entries.map(\.name.text)))
    }
  }
}
