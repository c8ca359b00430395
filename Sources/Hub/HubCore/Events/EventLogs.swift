internal import Signalling

/// How a newly opened event stream begins.
public struct StreamOpening: Sendable {
  public let hello: LoggedEvent
  /// What is read next follows it.
  public let cursor: UInt64

  /// - Parameter epoch: of the logs, see ``EventID``.
  public init(streamID: String, epoch: String, resumption: EventResumption, limits: HubLimits) {
    let hello = HelloEvent(
      eventStreamID: streamID, isReset: resumption.isReset,
      heartbeatInterval: Int(limits.heartbeatInterval.components.seconds))
    let id = EventID(epoch: epoch, sequence: resumption.cursor).text
    self.hello = LoggedEvent(id: id, name: .hello, data: encodePayload(hello))
    cursor = resumption.cursor
  }
}

/// The event logs of all users: publish and replay.
public struct EventLogs: Sendable {
  private let epoch: String
  private let limits: HubLimits
  private var logs: [String: UserEventLog] = [:]
  /// Users without an open stream and users with entries: what a timer has to check, whatever the number of logs.
  private var disconnected: Set<String> = []
  private var holding: Set<String> = []
  private var listeners = Listeners()
  /// One counter for all users, so that an id shows its place also after a user's log was forgotten and restarted.
  private var lastSequence: UInt64 = 0

  /// `epoch` must differ from that of every earlier run.
  public init(epoch: String, limits: HubLimits) {
    self.epoch = epoch
    self.limits = limits
  }

  public var streamCount: Int { logs.values.reduce(0) { $0 + $1.streams.count } }

  /// Whether a user is without a stream whose log is kept.
  var hasDisconnected: Bool { !disconnected.isEmpty }

  public mutating func open(
    streamID: String, for principal: Principal, lastEventID: String?, now: Instant
  ) throws(HubRefusal) -> StreamOpening {
    try checkStreamLimit(of: principal.userID, atMost: limits.streams(of: principal))
    var log = logs[principal.userID] ?? UserEventLog(principal: principal, floor: lastSequence, now: now)
    listeners.remove(log.principal)
    listeners.insert(principal)
    log.principal = principal
    log.open(streamID)
    logs[principal.userID] = log
    disconnected.remove(principal.userID)
    return StreamOpening(
      streamID: streamID, epoch: epoch, resumption: resumption(after: lastEventID, floor: log.floor), limits: limits)
  }

  /// Whether a client that resumes after `lastEventID` has lost events that had to arrive.
  func hasLostEvents(of userID: String, after lastEventID: String?) -> Bool {
    resumption(after: lastEventID, floor: logs[userID]?.floor ?? lastSequence).isReset
  }

  private func resumption(after lastEventID: String?, floor: UInt64) -> EventResumption {
    EventResumption(after: lastEventID, epoch: epoch, stored: floor...lastSequence)
  }

  func checkStreamLimit(of userID: String, atMost limit: Int) throws(HubRefusal) {
    guard logs[userID]?.streams.count ?? 0 < limit else {
      throw .tooMany("event streams of one user", retryAfter: 5)
    }
  }

  public mutating func close(streamID: String, of userID: String, now: Instant) {
    logs[userID]?.close(streamID, now: now)
    guard let log = logs[userID], !log.isOpen else { return }
    listeners.remove(log.principal)
    disconnected.insert(userID)
  }

  /// Logs an event; returns the streams to wake. A user without a log receives nothing.
  public mutating func append(_ event: EncodedEvent, to userID: String, now: Instant) -> [String] {
    guard let index = logs.index(forKey: userID) else { return [] }
    lastSequence += 1
    let entry = EventEntry(
      sequence: lastSequence, name: event.name, data: event.data, subject: event.subject, loggedAt: now)
    logs.values[index].append(entry, limits: limits)
    holding.insert(userID)
    return Array(logs.values[index].streams)
  }

  /// What follows `cursor`, with the new cursor; nil when the reader was too slow and has lost events.
  public func events(for userID: String, after cursor: UInt64) -> (events: [LoggedEvent], cursor: UInt64)? {
    guard let entries = logs[userID]?.events(after: cursor) else { return nil }
    let events = entries.map {
      LoggedEvent(id: EventID(epoch: epoch, sequence: $0.sequence).text, name: $0.name, data: $0.data)
    }
    return (events, entries.last?.sequence ?? cursor)
  }

  /// A log for a user who will open a stream soon, and counts as gone unless that happens.
  mutating func expect(_ principal: Principal, now: Instant) {
    guard logs[principal.userID] == nil else { return }
    logs[principal.userID] = UserEventLog(principal: principal, floor: lastSequence, now: now)
    disconnected.insert(principal.userID)
  }

  /// See ``UserEventLog/note(heldSessions:by:)``.
  mutating func note(heldSessions held: Set<SessionID>, by streamID: String, of userID: String) -> Set<SessionID>? {
    logs[userID]?.note(heldSessions: held, by: streamID)
  }

  /// See ``UserEventLog/note(_:by:)``.
  mutating func note(_ status: PresenceStatus?, by streamID: String, of userID: String) -> PresenceStatus? {
    logs[userID]?.note(status, by: streamID)
  }

  /// Whether the user has a stream besides this one.
  func hasStream(besides streamID: String, of userID: String) -> Bool {
    logs[userID]?.streams.contains { $0 != streamID } ?? false
  }

  public func isOpen(streamID: String, of userID: String) -> Bool {
    logs[userID]?.streams.contains(streamID) ?? false
  }

  /// Whether the user has a stream.
  func isOpen(_ userID: String) -> Bool { logs[userID]?.isOpen ?? false }

  /// Whether a stream is open, or was until less than `grace` ago.
  public func isReachable(_ userID: String, now: Instant, grace: Duration) -> Bool {
    guard let log = logs[userID] else { return false }
    return log.unreachableSince.map { $0.duration(to: now) < grace } ?? true
  }

  /// Users whose last stream closed at least `grace` ago, as far as they are not forgotten yet.
  func userIDs(unreachableFor grace: Duration, now: Instant) -> [String] {
    disconnected.filter { !isReachable($0, now: now, grace: grace) }
  }

  /// The people with an open stream who share a group with `principal`; nil when they are more than `limit`.
  func listeners(of principal: Principal, limit: Int) -> Set<String>? {
    listeners.userIDs(of: principal, limit: limit)
  }

  /// Drops old events, and the logs of users whose resume window has passed.
  public mutating func trim(now: Instant) {
    let oldest = now - limits.resumeWindow
    for userID in disconnected where logs[userID]?.unreachableSince.map({ $0 < oldest }) ?? true {
      logs[userID] = nil
      disconnected.remove(userID)
      holding.remove(userID)
    }
    for userID in holding {
      logs[userID]?.trim(olderThan: oldest)
      if logs[userID]?.isEmpty ?? true { holding.remove(userID) }
    }
  }
}
