internal import HubCore
internal import Logging
internal import RedisClient
internal import Signalling

/// The event streams that this node serves: opened and closed in Redis, woken by what Redis publishes.
final class NodeStreams: Sendable {
  private let node: NodeContext
  private let subscriber: RedisSubscriber
  private let streams: EventStreams
  private let closing: ClosingStreams
  private let presence: SharedPresence
  private let sessions: SessionStore
  private let publisher: EventPublisher

  init(
    _ node: NodeContext, subscriber: RedisSubscriber, presence: SharedPresence, sessions: SessionStore,
    publisher: EventPublisher
  ) {
    (self.node, self.subscriber) = (node, subscriber)
    (self.presence, self.sessions, self.publisher) = (presence, sessions, publisher)
    streams = EventStreams(
      link: node.link, limits: node.limits, registry: node.registry, announcer: presence.announcer)
    closing = ClosingStreams(link: node.link, limits: node.limits) { announcement throws(HubRefusal) in
      try await presence.announce(announcement)
    }
  }

  func checkLimit(of userID: String) async throws(HubRefusal) {
    let count = try await node.link.run(RedisCommand("HLEN", [UserKeys(userID).clients])).integer ?? 0
    guard count < node.limits.streamsPerUser else { throw .tooMany("event streams of one user", retryAfter: 5) }
  }

  func open(
    _ streamID: String, for principal: Principal, lastEventID: String?
  ) async throws(HubRefusal) -> StreamOpening {
    let (epoch, nodeName) = (try node.identity.knownEpoch, node.identity.name)
    let name = StreamName(streamID, of: principal.userID)
    do {
      try await listen(on: node.registry.insert(streamID, of: principal))
      try await node.link.run(RedisCommand("SADD", [RedisKeys.users(ofNode: nodeName), name.text]))
      let (opening, isReset, before) = try await streams.open(
        streamID, for: principal, lastEventID: lastEventID, epoch: epoch, node: nodeName)
      node.registry.noteOpened(streamID)
      node.counters.note { $0.streamsOpened += 1 }
      // A page that was opened because the phone rang has a stream that begins behind what was logged before.
      let isFresh = lastEventID?.isEmpty ?? true
      if isReset || isFresh { try await repeatCalls(to: principal.userID, onlyThoseOnPhones: !isReset) }
      if let before, !before.isShown { try await presence.show(before) }
      return opening
    } catch {
      close(streamID, of: principal.userID)
      throw error
    }
  }

  /// Begins to close.
  func close(_ streamID: String, of userID: String) {
    guard let channels = node.registry.remove(streamID) else { return }
    subscriber.unsubscribe(channels)
    closing.close(StreamName(streamID, of: userID), node: node.identity.name)
  }

  func retryClosing() { closing.retry() }

  /// Closes in Redis what has ended here, until the task is cancelled.
  func runClosing() async { await closing.run() }

  func read(
    _ streamID: String, of userID: String, after cursor: UInt64
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)? {
    let read = try await streams.read(streamID, of: userID, after: cursor, epoch: try node.identity.knownEpoch)
    if read == nil { node.counters.note { $0.streamsOverrun += 1 } }
    return read
  }

  /// Without connection now, the next one closes the gap.
  private func listen(on channels: [String]) async throws(HubRefusal) {
    do {
      try await subscriber.subscribe(channels)
    } catch {
      guard case .subscriptionRefused(let code) = error.cause else { return }
      node.link.logger.error("Redis refuses to let this node listen: SSUBSCRIBE is answered with \(code)")
      throw RedisLink.unreachable
    }
  }

  /// The calls that wait for this user's answer, repeated, the oldest first.
  private func repeatCalls(to userID: String, onlyThoseOnPhones: Bool) async throws(HubRefusal) {
    let waiting = try await sessions.liveSessions(of: userID).filter { session in
      session.receiver.userID == userID && (session.waitsForPhones || !onlyThoseOnPhones)
    }
    try await publisher.publish(
      waiting.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.compactMap { session in
        session.incoming.map { Delivery(userID: userID, event: .callIncoming($0)) }
      })
  }
}
