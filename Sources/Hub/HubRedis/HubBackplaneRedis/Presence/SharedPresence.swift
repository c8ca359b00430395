internal import HubCore
internal import SystemSupport
internal import RedisClient
internal import Signalling

/// Presence as requests change and ask for it, within this node's limits, and what others receive of it.
final class SharedPresence: Sendable {
  let announcer: Announcer
  private let node: NodeContext
  private let store: PresenceStore
  private let search: NearbySearch
  private let sessions: SessionStore
  private let traffic: Mutex<PresenceTraffic>

  init(_ node: NodeContext, sessions: SessionStore) {
    (self.node, self.sessions) = (node, sessions)
    store = PresenceStore(link: node.link, clock: node.clock, limits: node.limits)
    search = NearbySearch(link: node.link, clock: node.clock)
    announcer = Announcer(link: node.link, limits: node.limits)
    traffic = Mutex(PresenceTraffic(limits: node.limits))
  }

  func update(_ principal: Principal, _ update: PresenceUpdate) async throws(HubRefusal) {
    let now = Instant.now
    if let wait = traffic.withLock({ $0.updates.take(principal.userID, now: now) }) {
      node.counters.note { $0.presenceRefused += 1 }
      throw .tooMany("presence updates", retryAfter: wait)
    }
    try update.check(of: principal)
    let outcome = try await store.update(principal, update, now: now)
    node.counters.note { $0.presenceUpdates += 1 }
    try await follow(outcome, of: principal.userID)
  }

  func withdraw(_ userID: String, streamID: String?) async throws(HubRefusal) {
    try await follow(try await store.withdraw(userID, streamID: streamID), of: userID)
  }

  func nearby(_ query: NearbyQuery, asker: Principal) async throws(HubRefusal) -> [NearbyUser] {
    if let wait = traffic.withLock({ $0.queries.take(asker.userID, now: .now) }) {
      throw .tooMany("lists of users", retryAfter: wait)
    }
    try query.check()
    node.counters.note { $0.nearbyQueries += 1 }
    return try await search.nearby(query, asker: asker)
  }

  /// Which of these users are online, asked in portions.
  func online(_ userIDs: [String]) async throws(HubRefusal) -> Set<String> {
    var found: Set<String> = []
    for start in stride(from: 0, to: userIDs.count, by: Self.portion) {
      let portion = userIDs[start..<min(start + Self.portion, userIDs.count)]
      let replies = try await node.link.run(
        portion.map { PresenceStore.peek($0, within: node.limits.reachabilityGrace) })
      // Who has published no presence is not shown to others either.
      for (userID, reply) in zip(portion, replies) where reply[0].integer == 1 && StoredPresence(reply[1]) != nil {
        found.insert(userID)
      }
    }
    return found
  }

  private static let portion = 256

  // MARK: Announcements

  /// A hidden user has an event stream again.
  func show(_ presence: StoredPresence) async throws(HubRefusal) {
    try await node.link.run(GroupIndex.insertion(presence.principal, at: presence.location))
    try await announce(presence.announcement(isOnline: true))
  }

  func announce(_ announcement: PresenceAnnouncement) async throws(HubRefusal) {
    let admitted = traffic.withLock { $0.announcements.admit(announcement, now: .now) }
    if let admitted { try await node.link.run(announcer.commands(for: admitted)) }
  }

  /// Announces those who changed again soon after they were announced.
  func announceDue(now: Instant) async throws(HubRefusal) {
    for announcement in traffic.withLock({ $0.announcements.due(now: now) }) {
      try await node.link.run(announcer.commands(for: announcement))
    }
  }

  func trim(now: Instant) { traffic.withLock { $0.trim(now: now) } }

  /// Does what follows from a change of presence.
  private func follow(_ outcome: PresenceStore.Outcome, of userID: String) async throws(HubRefusal) {
    if let announcement = outcome.announcement { try await announce(announcement) }
    if outcome.hasLeft {
      for session in outcome.live { try await sessions.vanish(session, of: userID, .left, now: .now) }
    } else if let held = outcome.held {
      try await sessions.reconcile(userID, held: held, live: outcome.live, now: .now)
    }
  }
}
