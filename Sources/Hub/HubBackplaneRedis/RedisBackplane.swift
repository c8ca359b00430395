public import HubCore
internal import Locking
public import Logging
public import RedisClient
public import Signalling

/// The knowledge of a hub of several nodes, in Redis.
///
/// Presence, event logs and sessions lie there; each change is one step of Redis's (``FunctionLibrary``), or is decided here
/// and takes effect only if nobody was quicker (``SessionStore``). An event stream belongs to the node that serves it, which
/// hears by sharded publish/subscribe that a log has grown.
///
/// Limits of calls, tokens and archive requests count for all nodes together; those against floods of messages, presence
/// updates and lists are each node's own.
public final class RedisBackplane: HubBackplane {
  struct LocalLimits {
    var messages: RateLimiter
    var presence: PresenceTraffic
  }

  /// Users whose place in the groups' indices is written anew each second; each takes Redis about 0.1 ms.
  private static let repairsAtOnce = 50
  private let limits: HubLimits
  private let link: RedisLink
  private let client: RedisClient
  private let subscriber: RedisSubscriber
  private let clock = SharedClock()
  private let identity: NodeIdentity
  private let registry: StreamRegistry
  private let perform: @Sendable (HubActions) -> Void
  private let logger: Logger

  private let sessions: SessionStore
  private let presence: PresenceStore
  private let announcer: Announcer
  private let streams: EventStreams
  private let search: NearbySearch
  private let upkeep: Upkeep
  private let delivery: EventDelivery
  private let rendezvous: ArchiveRendezvous

  private let local: Mutex<LocalLimits>
  private let counters = Mutex(HubCounters())
  private let turn = Mutex(0)

  /// - Parameters:
  ///   - node: what operators call this node.
  ///   - address: where other nodes reach this one.
  ///   - perform: does what follows from a change; called from any task or thread.
  public init(
    _ settings: RedisConnectionSettings, node: String, address: String, limits: HubLimits, logger: Logger,
    perform: @escaping @Sendable (HubActions) -> Void
  ) {
    self.limits = limits
    subscriber = RedisSubscriber(settings, kind: .sharded)
    var settings = settings
    settings.libraries = [FunctionLibrary.library]
    client = RedisClient(settings) { Self.report($0, to: logger) }
    self.perform = perform
    self.logger = logger
    link = RedisLink(client: client, logger: logger)
    identity = NodeIdentity(prefix: node)
    registry = StreamRegistry(limits: limits)
    delivery = EventDelivery(limits: limits)
    sessions = SessionStore(link: link, clock: clock, limits: limits, delivery: delivery)
    presence = PresenceStore(link: link, clock: clock, limits: limits)
    announcer = Announcer(link: link, limits: limits)
    streams = EventStreams(link: link, limits: limits, registry: registry, announcer: announcer)
    search = NearbySearch(link: link, clock: clock)
    upkeep = Upkeep(link: link, limits: limits, sessions: sessions, announcer: announcer)
    rendezvous = ArchiveRendezvous(link: link, limits: limits, address: address)
    local = Mutex(
      LocalLimits(
        messages: RateLimiter(perMinute: limits.messagesPerMinute), presence: PresenceTraffic(limits: limits)))
  }

  /// Keeps the connections to Redis until the task is cancelled.
  public func run() async {
    await withTaskGroup { group in
      group.addTask { await self.client.run() }
      group.addTask { await DurabilityCheck(client: self.client, logger: self.logger).run() }
      group.addTask {
        await self.subscriber.run { event in
          if event == .connected { self.closeGap() }
        } onMessage: { message in
          self.receive(message)
        }
      }
    }
  }

  private static func report(_ event: RedisConnectionEvent, to logger: Logger) {
    switch event {
    case .connected: logger.notice("connected to Redis")
    case .lost(let reason):
      logger.error("Redis cannot be reached; trying again. Until then clients are asked to wait: \(reason)")
    }
  }

  // MARK: Event streams

  public func checkStreamLimit(of userID: String) async throws(HubRefusal) {
    let count = try await link.run(RedisCommand("HLEN", [UserKeys(userID).clients])).integer ?? 0
    guard count < limits.streamsPerUser else { throw .tooMany("event streams of one user", retryAfter: 5) }
  }

  public func openStream(
    _ streamID: String, for principal: Principal, lastEventID: String?
  ) async throws(HubRefusal) -> StreamOpening {
    let epoch = try knownEpoch()
    let name = StreamName(streamID, of: principal.userID)
    do {
      try await listen(on: registry.insert(streamID, of: principal))
      try await link.run(RedisCommand("SADD", [RedisKeys.users(ofNode: identity.name), name.text]))
      let (opening, isReset, before) = try await streams.open(
        streamID, for: principal, lastEventID: lastEventID, epoch: epoch, node: identity.name)
      counters.withLock { $0.streamsOpened += 1 }
      if isReset { try await repeatCalls(to: principal.userID) }
      if let before, !before.isShown {
        try await show(before.principal, at: before.location, before.announcement(isOnline: true))
      }
      return opening
    } catch {
      closeStream(streamID, of: principal.userID)
      throw error
    }
  }

  public func closeStream(_ streamID: String, of userID: String) {
    guard let channels = registry.remove(streamID) else { return }
    subscriber.unsubscribe(channels)
    let node = identity.name
    Task { await close(StreamName(streamID, of: userID), node: node) }
  }

  public func readStream(
    _ streamID: String, of userID: String, after cursor: UInt64
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)? {
    let read = try await streams.read(streamID, of: userID, after: cursor, epoch: try knownEpoch())
    if read == nil { counters.withLock { $0.streamsOverrun += 1 } }
    return read
  }

  // MARK: Presence

  public func updatePresence(of principal: Principal, _ update: PresenceUpdate) async throws(HubRefusal) {
    let now = Instant.now
    if let wait = local.withLock({ $0.presence.updates.take(principal.userID, now: now) }) {
      counters.withLock { $0.presenceRefused += 1 }
      throw .tooMany("presence updates", retryAfter: wait)
    }
    try update.check(of: principal)
    _ = try knownEpoch()
    let outcome = try await presence.update(principal, update, now: now)
    counters.withLock { $0.presenceUpdates += 1 }
    try await follow(outcome, of: principal.userID)
  }

  public func withdrawPresence(userID: String, streamID: String?) async throws(HubRefusal) {
    try await follow(try await presence.withdraw(userID, streamID: streamID), of: userID)
  }

  public func nearby(_ query: NearbyQuery, asker: Principal) async throws(HubRefusal) -> [NearbyUser] {
    if let wait = local.withLock({ $0.presence.queries.take(asker.userID, now: .now) }) {
      throw .tooMany("lists of users", retryAfter: wait)
    }
    try query.check()
    counters.withLock { $0.nearbyQueries += 1 }
    return try await search.nearby(query, asker: asker)
  }

  // MARK: Calls

  public func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest
  ) async throws(HubRefusal) -> CallContext {
    try request.check(from: caller)
    _ = try knownEpoch()
    let replies = try await link.run([
      RateLimits.take("call", caller.userID, perMinute: limits.callsPerMinute),
      PresenceStore.peek(request.receiverID, within: limits.resumeWindow),
      PresenceStore.peek(caller.userID, within: limits.resumeWindow),
    ])
    if let wait = replies[0].integer, wait > 0 {
      counters.withLock { $0.callsRefused += 1 }
      throw .tooMany("calls", retryAfter: Int(clamping: wait))
    }
    guard replies[1][0].integer == 1, let receiver = StoredPresence(replies[1][1]),
      receiver.principal.sharesGroup(with: caller)
    else {
      counters.withLock { $0.callsRefused += 1 }
      throw .receiverOffline
    }
    let known = try await sessions.known(sessionID, request, from: caller)
    return CallContext(
      request, from: (caller, StoredPresence(replies[2][1])?.location), to: (receiver.principal, receiver.location),
      known: known)
  }

  public func placeCall(_ placement: CallPlacement) async throws(HubRefusal) {
    _ = try knownEpoch()
    let isNew = try await sessions.place(placement, now: .now)
    counters.withLock { $0.callsPlaced += isNew ? 1 : 0 }
    // A caller without event stream counts as gone unless it opens one.
    if !registry.hasStream(of: placement.caller.userID) {
      try await link.run(Upkeep.watch(placement.caller.userID, after: limits.reachabilityGrace))
    }
  }

  public func receive(
    _ message: SessionMessage, in sessionID: SessionID, from sender: Principal
  ) async throws(HubRefusal) {
    try message.check(in: sessionID, from: sender, limits: limits)
    _ = try knownEpoch()
    let now = Instant.now
    if let wait = local.withLock({ $0.messages.take(sender.userID, now: now) }) {
      throw .tooMany("messages", retryAfter: wait)
    }
    try await sessions.receive(message, in: sessionID, from: sender, now: now)
  }

  public func isInSession(_ userID: String) async throws(HubRefusal) -> Bool {
    try await !sessions.liveSessions(of: userID).isEmpty
  }

  // MARK: Limits

  public func admitToken(for key: String) async throws(HubRefusal) {
    let reply = try await link.run(RateLimits.take("token", key, perMinute: limits.tokensPerMinute))
    if let wait = reply.integer, wait > 0 { throw .tooMany("tokens", retryAfter: Int(clamping: wait)) }
  }

  // MARK: Archives

  public func requestArchive(
    _ wanted: (path: ArchivePath, range: String?), of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal) {
    guard requester.role == .operator || requester.userID == deviceID else {
      throw .notAllowed("archives are for operators")
    }
    let replies = try await link.run([
      PresenceStore.peek(deviceID, within: limits.reachabilityGrace),
      RateLimits.take("archive", requester.userID, perMinute: limits.archiveRequestsPerMinute),
    ])
    guard replies[0][0].integer == 1, let device = StoredPresence(replies[0][1])?.principal,
      device.sharesGroup(with: requester)
    else { throw .receiverOffline }
    guard device.role == .device else { throw .notFound("this user has no archives") }
    if let wait = replies[1].integer, wait > 0 {
      throw .tooMany("archive requests", retryAfter: Int(clamping: wait))
    }
    let request = ArchiveRequest(requester: requester, device: device, path: wanted.path, range: wanted.range)
    let event = try await rendezvous.begin(request, uploadID: uploadID)
    counters.withLock { $0.archiveTransfers += 1 }
    try await publish([Delivery(userID: deviceID, event: .request(event))])
  }

  public func claimUpload(_ uploadID: String, by userID: String) async throws(HubRefusal) -> UploadPlace {
    try await rendezvous.claim(uploadID, by: userID)
  }

  public func finishUpload(_ uploadID: String) { rendezvous.finish(uploadID) }

  // MARK: Parts

  /// A node that has no epoch yet does not know Redis's time either: what it stored would seem to be long over.
  private func knownEpoch() throws(HubRefusal) -> String {
    guard let epoch = identity.epoch else { throw RedisLink.unreachable }
    return epoch
  }

  private func publish(_ deliveries: [Delivery]) async throws(HubRefusal) {
    let events = EventDelivery.outgoing(deliveries)
    counters.withLock { $0.eventsPublished += events.count }
    try await link.run(delivery.commands(for: events, mark: nil))
  }

  /// The calls that wait for this user's answer, told once more, the oldest first.
  private func repeatCalls(to userID: String) async throws(HubRefusal) {
    let waiting = try await sessions.liveSessions(of: userID).filter { $0.receiver.userID == userID }
    try await publish(
      waiting.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.compactMap { session in
        session.incoming.map { Delivery(userID: userID, event: .callIncoming($0)) }
      })
  }

  private func show(
    _ principal: Principal, at location: UserLocation?, _ announcement: PresenceAnnouncement
  ) async throws(HubRefusal) {
    try await link.run(GroupIndex.insertion(principal, at: location))
    try await announce(announcement)
  }

  private func announce(_ announcement: PresenceAnnouncement) async throws(HubRefusal) {
    let admitted = local.withLock { $0.presence.announcements.admit(announcement, now: .now) }
    if let admitted { try await link.run(announcer.commands(for: admitted)) }
  }

  /// Does what follows from a change of presence.
  private func follow(_ outcome: PresenceStore.Outcome, of userID: String) async throws(HubRefusal) {
    if let announcement = outcome.announcement { try await announce(announcement) }
    if outcome.hasLeft {
      for session in outcome.live { try await sessions.end(session, reason: .vanished) }
    } else if let held = outcome.held {
      try await sessions.reconcile(userID, held: held, live: outcome.live, now: .now)
    }
  }

  private func close(_ name: StreamName, node: String) async {
    // What fails here is done when the node is found dead, or the client opens a stream anew.
    guard let replies = try? await link.run(Upkeep.closing(name.streamID, of: name.userID, limits: limits)) else {
      return
    }
    if replies[0][1].integer == 1, let presence = StoredPresence(replies[0][2]) {
      try? await announce(presence.announcement(isOnline: presence.isShown))
    }
    _ = try? await link.run(RedisCommand("SREM", [RedisKeys.users(ofNode: node), name.text]))
  }

  // MARK: Time

  public var isReady: Bool { identity.epoch != nil }

  public func tick() async {
    let now = Instant.now
    do {
      try await beat()
      try await upkeep.lookAfterSessions(now: now)
      try await upkeep.lookAfterUsers()
      if identity.isSteady(now: now, for: Upkeep.silence) { try await clearAwayDeadNodes() }
      for announcement in local.withLock({ $0.presence.announcements.due(now: now) }) {
        try await link.run(announcer.commands(for: announcement))
      }
      try await putInAnew()
    } catch {
      // The client says once that Redis is away, and once that it is back.
    }
    trim(now: now)
    perform(HubActions(expiredUploads: rendezvous.expire(now: now)))
  }

  public var figures: (counters: HubCounters, gauges: HubGauges) {
    get async {
      let gauges = HubGauges(
        presences: registry.userCount, eventStreams: registry.streamCount, liveSessions: nil,
        archiveTransfers: rendezvous.count)
      return (counters.withLock { $0 }, gauges)
    }
  }

  /// Says that this node lives, and learns whether Redis and the other nodes still know it.
  private func beat() async throws(HubRefusal) {
    let sentAt = Instant.now
    let isAnnounced = identity.isAnnounced
    let replies = try await link.run([
      RedisCommand("TIME", keyPosition: nil),
      RedisCommand("SET", [RedisKeys.epoch, String(UInt64.random(in: .min ... .max), radix: 36), "NX"]),
      RedisCommand("GET", [RedisKeys.epoch]),
      .call("beat", [RedisKeys.nodes], [identity.name, isAnnounced ? "0" : "1"]),
    ])
    if let seconds = replies[0][0].integer, let microseconds = replies[0][1].integer {
      clock.observe(seconds * 1_000 + microseconds / 1_000, sentAt: sentAt, receivedAt: .now)
    }
    let isOther = replies[2].text.map { identity.note(epoch: $0) } ?? false
    if replies[3].integer == 1, !isOther { return identity.noteBeat(now: sentAt) }
    logger.notice("this node was taken for dead, or Redis has lost what it knew: clients open their event streams anew")
    identity.renew()
    perform(HubActions(wokenStreams: registry.loseAll()))
  }

  /// Where Redis itself was away, the others have been silent as well, and get the time to come back.
  private func clearAwayDeadNodes() async throws(HubRefusal) {
    for node in try await upkeep.clearAwayDeadNodes() {
      logger.notice("a node of the hub is gone; its event streams are closed", metadata: ["node": "\(node)"])
    }
  }

  /// Repairs the groups' indices for a sixtieth of this node's users, or for some where that would be a load of its own.
  private func putInAnew() async throws(HubRefusal) {
    let turn = turn.withLock { turn in
      turn += 1
      return turn
    }
    let turns = max(60, registry.streamCount / Self.repairsAtOnce)
    let users = Set(registry.portion(turn, of: turns).map(\.principal.userID))
    let replies = try await link.run(users.map { PresenceStore.peek($0, within: limits.reachabilityGrace) })
    let shown = replies.compactMap { StoredPresence($0[1]) }.filter(\.isShown)
    try await link.run(shown.flatMap { GroupIndex.insertion($0.principal, at: $0.location) })
  }

  private func trim(now: Instant) {
    local.withLock { local in
      local.messages.trim(now: now)
      local.presence.trim(now: now)
    }
  }

  // MARK: What other nodes do

  /// Without connection now, the next one closes the gap.
  private func listen(on channels: [String]) async throws(HubRefusal) {
    do {
      try await subscriber.subscribe(channels)
    } catch {
      guard case .subscriptionRefused(let code) = error.cause else { return }
      logger.error("Redis refuses to let this node listen: SSUBSCRIBE is answered with \(code)")
      throw RedisLink.unreachable
    }
  }

  /// Messages before now may have been missed.
  private func closeGap() {
    perform(HubActions(wokenStreams: registry.noteGap()))
    Task { await repeatAnnouncements() }
  }

  private func receive(_ message: RedisMessage) {
    if let userID = UserKeys.userID(ofChannel: message.channel) {
      perform(HubActions(wokenStreams: registry.noteGrowth(of: userID)))
    } else if let group = GroupKeys.group(ofChannel: message.channel),
      let (userID, event) = Announcer.event(String(decoding: message.payload, as: UTF8.self))
    {
      perform(HubActions(wokenStreams: registry.noteAnnouncement(event, about: userID, in: group)))
    }
  }

  /// Hands on what was announced while nobody listened; Redis keeps it for the resume window.
  private func repeatAnnouncements() async {
    let since = UInt64(clamping: clock.milliseconds(at: .now - limits.resumeWindow))
    for group in registry.watchedGroups {
      guard let missed = try? await announcer.missed(in: group, since: since) else { continue }
      var woken: Set<String> = []
      for (userID, event) in missed { woken.formUnion(registry.noteMissed(event, about: userID, in: group)) }
      perform(HubActions(wokenStreams: woken))
    }
    registry.noteRepeated()
  }
}
