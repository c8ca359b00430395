import Signalling

/// What the owner of a ``HubState`` does after a mutation, outside its lock.
public struct HubActions: Sendable {
  /// Event streams that have something new to read.
  public var wokenStreams: Set<String> = []
  /// Archive requests that no device has answered.
  public var expiredUploads: [String] = []
  /// What push subscriptions are to be sent.
  public var pushes: [PushOrder] = []
  /// Calls that are over, for the call history.
  public var calls: [CallReport] = []
  /// Something has a deadline, where nothing had before.
  public var startsClock = false

  public init(
    wokenStreams: Set<String> = [], expiredUploads: [String] = [], pushes: [PushOrder] = [], calls: [CallReport] = []
  ) {
    self.wokenStreams = wokenStreams
    self.expiredUploads = expiredUploads
    self.pushes = pushes
    self.calls = calls
  }

  public var isEmpty: Bool {
    wokenStreams.isEmpty && expiredUploads.isEmpty && pushes.isEmpty && calls.isEmpty && !startsClock
  }
}

/// Everything that the hub knows beyond its store: presence, event logs, sessions, transfers.
///
/// It does no input or output and reads no clock: mutate once, then ``drainActions()``.
public struct HubState: Sendable {
  public let limits: HubLimits
  public internal(set) var counters = HubCounters()
  var directory = Directory()
  var logs: EventLogs
  var sessions: CallSessionTable
  var archives: ArchiveBroker
  var callLimiter: RateLimiter
  var viewLimiter: RateLimiter
  var messageLimiter: RateLimiter
  var tokenLimiter: RateLimiter
  var contentLimiters: [DeviceContent.Kind: RateLimiter] = [:]
  var presenceTraffic: PresenceTraffic
  private var actions = HubActions()
  private var trimmedAt: Instant?
  /// At the last ``drainActions()``.
  private var neededTicks = false

  /// `epoch` must differ from that of every earlier run of the hub.
  public init(epoch: String, limits: HubLimits = HubLimits()) {
    self.limits = limits
    logs = EventLogs(epoch: epoch, limits: limits)
    sessions = CallSessionTable(limits: limits)
    archives = ArchiveBroker(limits: limits)
    callLimiter = RateLimiter(perMinute: limits.callsPerMinute)
    viewLimiter = RateLimiter(perMinute: limits.viewsPerMinute)
    messageLimiter = RateLimiter(perMinute: limits.messagesPerMinute)
    tokenLimiter = RateLimiter(perMinute: limits.tokensPerMinute)
    for kind in DeviceContent.Kind.allCases {
      contentLimiters[kind] = RateLimiter(perMinute: kind.requestsPerMinute(limits))
    }
    presenceTraffic = PresenceTraffic(limits: limits)
  }

  public var gauges: HubGauges {
    HubGauges(
      presences: directory.count, eventStreams: logs.streamCount, liveSessions: sessions.liveCount,
      archiveTransfers: archives.transferCount)
  }

  public mutating func drainActions() -> HubActions {
    defer { actions = HubActions() }
    actions.pushes = sessions.takePushes()
    actions.calls = sessions.takeReports()
    actions.startsClock = needsTicks && !neededTicks
    neededTicks = needsTicks
    return actions
  }

  /// Whether anything has a deadline, so that ``tick(now:)`` has to be called each second; takes constant time.
  public var needsTicks: Bool {
    !sessions.isEmpty || logs.hasDisconnected || presenceTraffic.announcements.userCount > 0
      || archives.transferCount > 0
  }

  /// Counts a token that is given without a credential, to a user or an address.
  public mutating func admitToken(for key: String, now: Instant) throws(HubRefusal) {
    if let wait = tokenLimiter.take(key, now: now) { throw .tooMany("tokens", retryAfter: wait) }
  }

  /// Whether the user is a party to a session that has not ended.
  public func isInSession(_ userID: String) -> Bool { sessions.usersInSessions.contains(userID) }

  /// Does what has become due; call it about once a second while ``needsTicks``, else now and then.
  public mutating func tick(now: Instant) {
    publish(sessions.expire(now: now), now: now)
    dropUnreachable(now: now)
    expirePresence(now: now)
    announceDue(now: now)
    let expired = archives.expire(now: now)
    counters.archiveTimeouts += expired.count
    actions.expiredUploads += expired
    trim(now: now)
  }

  public mutating func publish(_ deliveries: [Delivery], now: Instant) {
    for delivery in deliveries { publish(delivery.event, to: [delivery.userID], now: now) }
  }

  mutating func publish(_ event: HubEvent, to userIDs: Set<String>, now: Instant) {
    guard !userIDs.isEmpty else { return }
    let encoded = EncodedEvent(event)
    for userID in userIDs {
      counters.eventsPublished += 1
      actions.wokenStreams.formUnion(logs.append(encoded, to: userID, now: now))
    }
  }

  /// Event logs bound themselves by count and bytes, so their age needs only an occasional sweep.
  private mutating func trim(now: Instant) {
    if let trimmedAt, trimmedAt.duration(to: now) < .seconds(5) { return }
    trimmedAt = now
    logs.trim(now: now)
    callLimiter.trim(now: now)
    viewLimiter.trim(now: now)
    messageLimiter.trim(now: now)
    tokenLimiter.trim(now: now)
    for kind in DeviceContent.Kind.allCases { contentLimiters[kind]?.trim(now: now) }
    presenceTraffic.trim(now: now)
  }
}
