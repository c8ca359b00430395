public import HubCore
internal import SystemSupport
public import Logging
public import RedisClient
public import Signalling

/// The backplane of a hub of several nodes, in Redis.
///
/// Presence, event logs and sessions lie there; each change is one step of Redis's (``FunctionLibrary``), or is decided here
/// and takes effect only if no other change came first (``SessionStore``). An event stream belongs to the node that
/// serves it, which learns by sharded publish/subscribe that a log has grown.
///
/// Limits of calls, tokens and archive requests count for all nodes together; those against floods of messages, presence
/// updates and lists are each node's own.
public final class RedisBackplane: HubBackplane {
  private let node: NodeContext
  private let client: RedisClient
  private let subscriber: RedisSubscriber
  private let perform: @Sendable (HubActions) -> Void

  private let publisher: EventPublisher
  private let streams: NodeStreams
  private let news: StreamPubSub
  private let presence: SharedPresence
  private let calls: SharedCalls
  private let archives: SharedArchives
  private let rendezvous: ArchiveRendezvous
  private let life: NodeLife
  private let renewal: PresenceRenewal

  /// - Parameters:
  ///   - node: what operators call this node.
  ///   - address: where other nodes reach this one.
  ///   - perform: does what follows from a change; called from any task or thread.
  public init(
    _ settings: RedisConnectionSettings, node name: String, address: String, limits: HubLimits, logger: Logger,
    perform: @escaping @Sendable (HubActions) -> Void
  ) {
    self.perform = perform
    subscriber = RedisSubscriber(settings, kind: .sharded)
    let (client, link) = Self.connect(settings, logger)
    self.client = client
    node = NodeContext(link: link, limits: limits, name: name)
    let delivery = EventDelivery(limits: limits)
    publisher = EventPublisher(link: node.link, delivery: delivery, counters: node.counters)
    let sessions = SessionStore(
      link: node.link, clock: node.clock, limits: limits, delivery: delivery, counters: node.counters, perform: perform)
    presence = SharedPresence(node, sessions: sessions)
    calls = SharedCalls(node, sessions: sessions)
    streams = NodeStreams(
      node, subscriber: subscriber, presence: presence, sessions: sessions, publisher: publisher)
    news = StreamPubSub(node: node, announcer: presence.announcer, perform: perform)
    rendezvous = ArchiveRendezvous(link: node.link, limits: limits, address: address)
    archives = SharedArchives(node: node, rendezvous: rendezvous, publisher: publisher)
    let upkeep = Upkeep(link: node.link, limits: limits, sessions: sessions, announcer: presence.announcer)
    life = NodeLife(node, upkeep: upkeep)
    renewal = PresenceRenewal(node)
  }

  private static func connect(
    _ settings: RedisConnectionSettings, _ logger: Logger
  ) -> (RedisClient, RedisLink) {
    var settings = settings
    settings.libraries = [FunctionLibrary.library]
    let gauge = RedisGauge()
    let client = RedisClient(settings) { event in
      gauge.connectionChanged(isConnected: event == .connected)
      report(event, to: logger)
    }
    return (client, RedisLink(logger: logger, gauge: gauge, send: client.send(stages:)))
  }

  /// Keeps the connections to Redis until the task is cancelled.
  public func run() async {
    await withTaskGroup { group in
      group.addTask { await self.client.run() }
      group.addTask { await DurabilityCheck(client: self.client, logger: self.node.link.logger).run() }
      group.addTask { await self.news.run() }
      group.addTask { await self.streams.runClosing() }
      group.addTask {
        await self.subscriber.run { event in
          if event == .connected { self.news.closeGap() }
        } onMessage: { message in
          self.news.receive(message)
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
    try await streams.checkLimit(of: userID)
  }

  public func openStream(
    _ streamID: String, for principal: Principal, lastEventID: String?
  ) async throws(HubRefusal) -> StreamOpening {
    try await streams.open(streamID, for: principal, lastEventID: lastEventID)
  }

  public func closeStream(_ streamID: String, of userID: String) { streams.close(streamID, of: userID) }

  public func readStream(
    _ streamID: String, of userID: String, after cursor: UInt64
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)? {
    try await streams.read(streamID, of: userID, after: cursor)
  }

  // MARK: Presence

  public func updatePresence(of principal: Principal, _ update: PresenceUpdate) async throws(HubRefusal) {
    _ = try node.identity.knownEpoch
    try await presence.update(principal, update)
  }

  public func withdrawPresence(userID: String, streamID: String?) async throws(HubRefusal) {
    try await presence.withdraw(userID, streamID: streamID)
  }

  public func nearby(_ query: NearbyQuery, asker: Principal) async throws(HubRefusal) -> [NearbyUser] {
    try await presence.nearby(query, asker: asker)
  }

  public func online(_ userIDs: [String]) async throws(HubRefusal) -> Set<String> {
    try await presence.online(userIDs)
  }

  // MARK: Calls

  public func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest, subscriber: Principal?
  ) async throws(HubRefusal) -> CallContext {
    _ = try node.identity.knownEpoch
    return try await calls.prepare(sessionID, from: caller, request, subscriber: subscriber)
  }

  public func notePhones(_ report: PhoneReport, in sessionID: SessionID) async throws(HubRefusal) {
    _ = try node.identity.knownEpoch
    try await calls.note(report, in: sessionID)
  }

  public func placeCall(_ placement: CallPlacement) async throws(HubRefusal) {
    _ = try node.identity.knownEpoch
    try await calls.place(placement)
  }

  public func receive(
    _ message: SessionMessage, in sessionID: SessionID, from sender: Principal
  ) async throws(HubRefusal) {
    _ = try node.identity.knownEpoch
    try await calls.receive(message, in: sessionID, from: sender)
  }

  public func isInSession(_ userID: String) async throws(HubRefusal) -> Bool {
    try await calls.isInSession(userID)
  }

  public func publish(_ deliveries: [Delivery]) async throws(HubRefusal) { try await publisher.publish(deliveries) }

  public func ongoingCalls() async throws(HubRefusal) -> [OngoingCall] { try await calls.ongoing() }

  public func ongoingCall(_ sessionID: SessionID) async throws(HubRefusal) -> OngoingCall? {
    try await calls.ongoing(sessionID)
  }

  public func endCall(_ sessionID: SessionID) async throws(HubRefusal) { try await calls.end(sessionID) }

  // MARK: Limits

  public func admitToken(for key: String) async throws(HubRefusal) {
    let reply = try await node.link.run(RateLimits.take("token", key, perMinute: node.limits.tokensPerMinute))
    if let wait = reply.integer, wait > 0 { throw .tooMany("tokens", retryAfter: Int(clamping: wait)) }
  }

  // MARK: Archives

  public func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal) {
    try await archives.request(content, of: deviceID, by: requester, uploadID: uploadID)
  }

  public func claimUpload(_ uploadID: String, by userID: String) async throws(HubRefusal) -> UploadPlace {
    try await rendezvous.claim(uploadID, by: userID)
  }

  public func claimRelayedUpload(_ uploadID: String, ticket: String) async throws(HubRefusal) {
    try await rendezvous.claim(uploadID, ticket: ticket)
  }

  public func finishUpload(_ uploadID: String) { rendezvous.finish(uploadID) }

  // MARK: Time

  public var isReady: Bool { node.identity.epoch != nil }

  public func tick() async {
    let now = Instant.now
    do {
      perform(HubActions(wokenStreams: try await life.beat()))
      streams.retryClosing()
      try await life.sweepAll(now: now)
      try await presence.announceDue(now: now)
      perform(HubActions(wokenStreams: try await renewal.renewPortion()))
    } catch {
      // The client says once that Redis is away, and once that it is back.
    }
    calls.trim(now: now)
    presence.trim(now: now)
    perform(HubActions(expiredUploads: rendezvous.expire(now: now)))
  }

  /// Other nodes have to see that this one lives.
  public var needsTicks: Bool { true }

  public var figures: (counters: HubCounters, gauges: HubGauges) {
    get async {
      let gauges = HubGauges(
        presences: node.registry.userCount, eventStreams: node.registry.streamCount, liveSessions: nil,
        archiveTransfers: rendezvous.count)
      return (node.counters.values, gauges)
    }
  }

  public var redisFigures: RedisFigures? { node.link.gauge.figures }

  public var status: BackplaneStatus {
    get async { await SharedStatus(node: node, client: client).read() }
  }
}
