internal import HubCore
internal import RedisClient
internal import Signalling

/// Event streams: open on one node each, their logs in Redis.
struct EventStreams: Sendable {
  /// A resumed stream gets what was announced this long before its last event: groups' announcements and users' events
  /// are not in one order.
  private static let overlap: UInt64 = 2_000
  private static let portion = 256

  let link: RedisLink
  let limits: HubLimits
  let registry: StreamRegistry
  let announcer: Announcer

  func open(
    _ streamID: String, for principal: Principal, lastEventID: String?, epoch: String, node: String
  ) async throws(HubRefusal) -> (opening: StreamOpening, isReset: Bool, before: StoredPresence?) {
    let keys = UserKeys(principal.userID)
    let reply = try await link.run(
      .call(
        "open", [keys.clients, keys.user, keys.events, keys.sessions],
        [streamID, node, "\(limits.streams(of: principal))"]))
    guard reply[0].text == "open" else { throw .tooMany("event streams of one user", retryAfter: 5) }
    guard let floor = reply[1].text.flatMap(EventPosition.parse), let last = reply[2].text.flatMap(EventPosition.parse)
    else { throw .overloaded("the event log cannot be read", retryAfter: 5) }
    let resumption = EventResumption(after: lastEventID, epoch: epoch, stored: floor...max(floor, last))
    if lastEventID?.isEmpty == false {
      let since = EventPosition.milliseconds(resumption.cursor)
      registry.add(
        try await announcer.missed(by: principal, since: since - min(since, Self.overlap)), to: streamID)
    }
    let opening = StreamOpening(streamID: streamID, epoch: epoch, resumption: resumption, limits: limits)
    return (opening, resumption.isReset, StoredPresence(reply[3]))
  }

  /// What a stream reads next; nil when it must be closed.
  func read(
    _ streamID: String, of userID: String, after cursor: UInt64, epoch: String
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)? {
    guard let (isDirty, news) = registry.takeReading(streamID) else { return nil }
    let announcements = news.map { LoggedEvent(id: nil, name: $0.name, data: $0.data) }
    guard isDirty else { return (announcements, cursor) }
    do {
      guard let read = try await readLog(streamID, of: userID, after: cursor, epoch: epoch) else { return nil }
      return (read.events + announcements, read.cursor)
    } catch {
      // While Redis is away streams stay; what they could not read they read then.
      registry.noteUnread(streamID)
      return (announcements, cursor)
    }
  }

  private func readLog(
    _ streamID: String, of userID: String, after cursor: UInt64, epoch: String
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)? {
    let keys = UserKeys(userID)
    let replies = try await link.run([
      RedisCommand("HGET", [keys.user, "floor"]),
      RedisCommand("HEXISTS", [keys.clients, streamID]),
      RedisCommand("XRANGE", [keys.events, "(" + EventPosition.text(cursor), "+", "COUNT", "\(Self.portion)"]),
    ])
    guard let floor = replies[0].text.flatMap(EventPosition.parse), cursor >= floor else { return nil }
    // Lost in a failover, or closed by those who took this node for dead.
    guard replies[1].integer == 1 else { return nil }
    let entries = replies[2].members
    if entries.count == Self.portion { registry.noteUnread(streamID) }
    var cursor = cursor
    let events = entries.compactMap { entry -> LoggedEvent? in
      guard let position = entry[0].text.flatMap(EventPosition.parse) else { return nil }
      cursor = position
      guard let name = entry[1][1].text.flatMap(EventName.init), let data = entry[1][3].text else { return nil }
      return LoggedEvent(id: EventID(epoch: epoch, sequence: position).text, name: name, data: data)
    }
    return (events, cursor)
  }
}
