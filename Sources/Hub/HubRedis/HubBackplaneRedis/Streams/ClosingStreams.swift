internal import HubCore
internal import SystemSupport
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

  private static let batch = 200
  private let link: RedisLink
  private let limits: HubLimits
  /// Receives what is left of a user who had several streams.
  private let announce: @Sendable (PresenceAnnouncement) async throws(HubRefusal) -> Void
  private let waiting = Mutex<[Entry]>([])
  /// That there is something to close; several count as one.
  private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(
    link: RedisLink, limits: HubLimits,
    announce: @escaping @Sendable (PresenceAnnouncement) async throws(HubRefusal) -> Void
  ) {
    (self.link, self.limits, self.announce) = (link, limits, announce)
  }

  func close(_ name: StreamName, node: String) {
    waiting.withLock { $0.append(Entry(name: name, node: node)) }
    arrived.yield()
  }

  /// Tries again what could not be closed.
  func retry() {
    if waiting.withLock({ !$0.isEmpty }) { arrived.yield() }
  }

  /// Closes until the task is cancelled. To be called once.
  func run() async {
    for await _ in arrivals { await drain() }
  }

  private func drain() async {
    var batch = takeBatch()
    while !batch.isEmpty {
      do {
        try await close(batch)
      } catch {
        return waiting.withLock { $0.insert(contentsOf: batch, at: 0) }
      }
      batch = takeBatch()
    }
  }

  private func takeBatch() -> ArraySlice<Entry> {
    waiting.withLock { waiting in
      let batch = waiting.prefix(Self.batch)
      waiting.removeFirst(batch.count)
      return batch
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
