internal import HubCore
internal import RedisClient
internal import Signalling

/// Sessions that any node changes: each change is decided by ``HubCore/CallSession`` here and takes effect in Redis
/// only if the session has not changed since it was read.
///
/// A change is stored together with its notifications (an outbox). The node that made it delivers them; when it dies
/// before, the next reader of the session does, or the sweep of due sessions.
///
/// So it is with what push subscriptions are to be sent, but for one thing: a node sends it that has claimed it in Redis,
/// once for each version of the session. A node that dies between claim and sending loses it; none sends it twice. A call
/// that is over is handed to the call history with the notifications of its end, repeatedly if need be: the history keeps
/// each call once.
struct SessionStore: Sendable {
  /// How long others leave a change's deliveries to the node that made it.
  private static let deliveryTime: Duration = .seconds(3)
  /// A live session without a change for this long is stale; its parties would have ended it.
  static let liveLifetime: Duration = .seconds(7 * 86_400)
  private static let attempts = 16
  /// Milliseconds that a node may take from noting a session to placing it.
  private static let placementTime: Int64 = 10_000

  let link: RedisLink
  let clock: SharedClock
  let limits: HubLimits
  let delivery: EventDelivery
  let counters: NodeCounters
  /// Sends what push subscriptions are to be sent, and keeps calls that are over.
  let perform: @Sendable (HubActions) -> Void

  // MARK: Reading

  func load(_ id: SessionID) async throws(HubRefusal) -> StoredSession? { try await load([id])[0] }

  func load(_ ids: [SessionID]) async throws(HubRefusal) -> [StoredSession?] {
    let replies = try await link.run(
      ids.map { RedisCommand("HMGET", [RedisKeys.session($0), "version", "record", "told"]) })
    return replies.map { StoredSession(version: $0[0], record: $0[1], told: $0[2], clock: clock) }
  }

  /// The live sessions of a user that are stored, the oldest first.
  func liveSessions(of userID: String) async throws(HubRefusal) -> [CallSession] {
    let ids = try await link.run(RedisCommand("ZRANGE", [UserKeys(userID).sessions, "0", "-1"])).texts
    let stored = try await load(ids.compactMap { SessionID($0) })
    return stored.compactMap { $0?.session }.filter { !$0.isEnded }
  }

  /// The sessions that have not ended, the oldest first; at most ``ongoingPerShard`` of each shard.
  func ongoing(now: Instant) async throws(HubRefusal) -> [OngoingCall] {
    let replies = try await link.run(
      (0..<RedisKeys.shardCount).map { shard in
        RedisCommand("ZRANGE", [RedisKeys.liveSessions(shard: shard), "0", "\(Self.ongoingPerShard - 1)"])
      })
    var calls: [OngoingCall] = []
    for reply in replies {
      let stored = try await load(reply.texts.compactMap { SessionID($0) })
      calls += stored.compactMap { $0?.session.flatMap { OngoingCall($0, now: now) } }
    }
    return calls.sorted { ($1.age, $0.id) < ($0.age, $1.id) }
  }

  private static let ongoingPerShard = 128

  // MARK: Changing

  /// Applies `change` to the session as it is, again when another change came first; throws what `change` throws.
  ///
  /// - Parameter change: returns the notifications, which are sent if it takes effect; nothing for no change.
  func apply(
    to id: SessionID, _ change: (inout CallSession) throws(HubRefusal) -> [Delivery]
  ) async throws(HubRefusal) {
    for _ in 0..<Self.attempts {
      guard let before = try await load(id), var session = before.session else { throw .sessionUnknown }
      try await repeatNotice(before, id)
      let deliveries = try change(&session)
      // Every change notifies a party, but for some of what is known of phones.
      guard !deliveries.isEmpty || session.phones != before.session?.phones else { return }
      let outbox = EventDelivery.outgoing(deliveries)
      let after = StoredSession(
        version: before.version + 1, session: session, outbox: outbox, push: session.pushOrder(since: before.session),
        isEnd: session.isEnded && before.session?.isEnded != true)
      if try await put(after, id, over: before.version) == nil { return try await report(after, id) }
    }
    throw .overloaded("the session changes too often", retryAfter: 1)
  }

  /// Ends a session whether it is there already or not: one that is not cannot be placed any longer.
  func end(_ id: SessionID, reason: EndReason, now: Instant) async throws(HubRefusal) {
    let tombstone = StoredSession(version: 1, session: nil, outbox: [])
    if try await put(tombstone, id, over: 0) == nil { return }
    do {
      try await apply(to: id) { session in session.end(reason: reason, now: now) }
    } catch .sessionUnknown {
      // Another's tombstone, or forgotten meanwhile.
    }
  }

  /// Ends a session of a party that is gone, unless it goes on without that party.
  func vanish(
    _ id: SessionID, of userID: String, _ departure: CallSession.Departure, now: Instant
  ) async throws(HubRefusal) {
    guard let session = try await load(id)?.session else { return try await end(id, reason: .vanished, now: now) }
    guard session.ends(with: userID, departure) else { return }
    do {
      try await apply(to: id) { $0.ends(with: userID, departure) ? $0.end(reason: .vanished, now: now) : [] }
    } catch .sessionUnknown {
      // Forgotten meanwhile.
    }
  }

  /// Notes which of the receiver's phones ring; ends a call that reaches none, unless the receiver has a page.
  func note(_ report: PhoneReport, in id: SessionID, now: Instant) async throws(HubRefusal) {
    do {
      try await apply(to: id) { $0.note(report) }
      guard let session = try await load(id)?.session, session.hasNoPhone else { return }
      let receiver = try await link.run(PresenceStore.peek(session.receiver.userID, within: limits.resumeWindow))
      guard receiver[0].integer != 1 else { return }
      try await apply(to: id) { $0.hasNoPhone ? $0.end(reason: .unreachable, now: now) : [] }
    } catch .sessionUnknown {
      // Forgotten meanwhile.
    }
  }

  /// Places a session where there is none; returns the one that is there otherwise.
  func insert(_ session: CallSession, telling deliveries: [Delivery]) async throws(HubRefusal) -> StoredSession? {
    let outbox = EventDelivery.outgoing(deliveries)
    let stored = StoredSession(version: 1, session: session, outbox: outbox, push: session.pushOrder(since: nil))
    if let other = try await put(stored, session.id, over: 0) { return other }
    try await report(stored, session.id)
    return nil
  }

  /// Does what is due for a session: sends pending notifications, ends it if its time is over, and returns when to check
  /// again (nil: never).
  func sweep(_ id: SessionID, now: Instant) async throws(HubRefusal) -> Duration? {
    let stored = try await load(id)
    if let stored { try await repeatNotice(stored, id) }
    guard let session = stored?.session, !session.isEnded else {
      // It has ended, or the node died that was about to place it.
      try await link.run(RedisCommand("ZREM", [RedisKeys.liveSessions(id), id.text]))
      return nil
    }
    guard let deadline = session.deadline(limits) else { return nil }
    if deadline.time > now { return now.duration(to: deadline.time) + .milliseconds(10) }
    try await apply(to: id) { session in
      guard let deadline = session.deadline(limits), deadline.time <= now else { return [] }
      return session.end(reason: deadline.reason, now: now)
    }
    return nil
  }

  // MARK: Placing

  /// The live session that this very request has made already, nil when the id is free; another request may not have the
  /// same id.
  func known(
    _ id: SessionID, _ request: SessionRequest, from caller: Principal
  ) async throws(HubRefusal) -> CallSession? {
    guard let stored = try await load(id) else { return nil }
    return try Self.check(stored, is: request, from: caller)
  }

  /// Adds a session, or recognises a repeated request; returns whether it is new.
  func place(_ placement: CallPlacement, now: Instant) async throws(HubRefusal) -> Bool {
    let (id, caller, receiver) = (placement.sessionID, placement.caller, placement.receiver)
    if try await known(id, placement.request, from: caller) != nil { return false }
    let rivals = try await reserve(id, from: caller.userID, to: receiver.userID, now: now)
    do {
      for rival in rivals {
        try await end(rival, reason: .glare, now: now)
        try await link.run(.call("unpair", [RedisKeys.pair(caller.userID, receiver.userID)], [rival.text]))
      }
      try await checkCounts(id, from: caller, to: receiver.userID, now: now)
      let incoming = Delivery(userID: receiver.userID, event: .callIncoming(placement.event))
      if let other = try await insert(CallSession(placement, now: now), telling: [incoming]) {
        _ = try Self.check(other, is: placement.request, from: caller)
        return false
      }
      return true
    } catch {
      await release(id, from: caller.userID, to: receiver.userID)
      throw error
    }
  }

  /// Notes that the session is to be, with both parties; returns the calls in the opposite direction, which must end.
  private func reserve(
    _ id: SessionID, from callerID: String, to receiverID: String, now: Instant
  ) async throws(HubRefusal) -> [SessionID] {
    let goesBefore = callerID < receiverID
    let time = "\(clock.milliseconds(at: now))"
    let replies = try await link.run([
      .call(
        "pair", [RedisKeys.pair(callerID, receiverID)],
        [goesBefore ? "up" : "down", id.text, goesBefore ? "1" : "0", (limits.unansweredTimeout * 1.2).inMilliseconds]),
      RedisCommand("ZADD", [UserKeys(callerID).sessions, time, id.text]),
      RedisCommand("ZADD", [UserKeys(receiverID).sessions, time, id.text]),
    ])
    guard replies[0][0].text == "ok" else {
      await release(id, from: callerID, to: receiverID)
      throw .glare
    }
    return replies[0][1].texts.compactMap { SessionID($0) }
  }

  private func release(_ id: SessionID, from callerID: String, to receiverID: String) async {
    // What stays behind here is found to be no session when it is read.
    _ = try? await link.run([
      RedisCommand("ZREM", [UserKeys(callerID).sessions, id.text]),
      RedisCommand("ZREM", [UserKeys(receiverID).sessions, id.text]),
      .call("unpair", [RedisKeys.pair(callerID, receiverID)], [id.text]),
    ])
  }

  private func checkCounts(
    _ id: SessionID, from caller: Principal, to receiverID: String, now: Instant
  ) async throws(HubRefusal) {
    let calls = try await others(than: id, of: caller.userID, now: now)
    let received = try await others(than: id, of: receiverID, now: now)
    guard max(calls.count, received.count) < limits.sessionsPerUser else {
      throw .tooMany("sessions of one user", retryAfter: 30)
    }
    let unanswered = calls.count { session in
      session.map { $0.caller.userID == caller.userID && !$0.isAnswered } ?? true
    }
    guard unanswered < limits.unansweredCalls(of: caller) else {
      throw .tooMany("unanswered calls of one caller", retryAfter: 10)
    }
  }

  /// The user's other live sessions; nil for one that another node is about to place. Forgets those that are none.
  private func others(
    than id: SessionID, of userID: String, now: Instant
  ) async throws(HubRefusal) -> [CallSession?] {
    let key = UserKeys(userID).sessions
    let members = try await link.run(RedisCommand("ZRANGE", [key, "0", "-1", "WITHSCORES"])).texts
    let times = stride(from: 0, to: members.count - 1, by: 2).compactMap { index in
      SessionID(members[index]).map { ($0, Int64(members[index + 1]) ?? 0) }
    }.filter { $0.0 != id }
    var found: [CallSession?] = []
    var stale: [String] = []
    for (stored, (other, time)) in zip(try await load(times.map(\.0)), times) {
      let isYoung = clock.milliseconds(at: now) - time < Self.placementTime
      if let session = stored?.session, !session.isEnded {
        found.append(session)
      } else if stored == nil, isYoung {
        found.append(nil)
      } else {
        stale.append(other.text)
      }
    }
    if !stale.isEmpty { try await link.run(RedisCommand("ZREM", [key] + stale)) }
    return found
  }

  private static func check(
    _ stored: StoredSession, is request: SessionRequest, from caller: Principal
  ) throws(HubRefusal) -> CallSession {
    // One that was ended before it was placed had a rival that continues.
    guard let session = stored.session else { throw .glare }
    guard session.isRepeated(by: request, from: caller.userID) else { throw .sessionExists }
    if session.isEnded { throw .sessionEnded }
    return session
  }

  // MARK: What parties say

  func receive(
    _ message: SessionMessage, in id: SessionID, from sender: Principal, now: Instant
  ) async throws(HubRefusal) {
    guard message.isForwarded else {
      return try await apply(to: id) { session throws(HubRefusal) in
        try session.receive(message, from: sender.userID, now: now)
      }
    }
    guard let stored = try await load(id), var session = stored.session else { throw .sessionUnknown }
    let deliveries = try session.receive(message, from: sender.userID, now: now)
    try await repeatNotice(stored, id)
    try await link.run(delivery.commands(for: EventDelivery.outgoing(deliveries), mark: nil))
  }

  /// Ends the sessions that a party knew and no longer holds, as it reports.
  func reconcile(
    _ userID: String, held: Set<SessionID>, live: [SessionID], now: Instant
  ) async throws(HubRefusal) {
    for id in live where !held.contains(id) {
      do {
        try await apply(to: id) { session in
          guard let party = session.party(of: userID), session.ends(with: userID, .left), session.isKnown(to: party),
            session.createdAt.duration(to: now) >= limits.reconciliationGrace
          else { return [] }
          return session.end(reason: .vanished, now: now)
        }
      } catch .sessionUnknown {
        // It was about to be placed, or is forgotten.
      }
    }
  }

  // MARK: Parts

  /// Returns what is there instead, where another change came first. Ensures that the outbox does not stay.
  private func put(
    _ stored: StoredSession, _ id: SessionID, over version: UInt64
  ) async throws(HubRefusal) -> StoredSession? {
    let lifetime = stored.session?.isEnded ?? true ? limits.endedSessionMemory : Self.liveLifetime
    var first = [
      RedisCommand.call("postpone", [RedisKeys.dueSessions(id)], [id.text, Self.deliveryTime.inMilliseconds])
    ]
    if version == 0, let session = stored.session {
      let time = "\(clock.milliseconds(at: session.createdAt))"
      first.append(RedisCommand("ZADD", [RedisKeys.liveSessions(id), time, id.text]))
    }
    let put = RedisCommand.call(
      "put", [RedisKeys.session(id)],
      ["\(version)", "\(stored.version)", stored.text(clock), lifetime.inMilliseconds])
    let reply = try await link.run(stages: [first, [put]])[first.count]
    guard reply[0].integer != 1 else { return nil }
    // A record that cannot be read counts as one that is not to be touched.
    return StoredSession(version: reply[1], record: reply[2], told: .null, clock: clock)
      ?? StoredSession(version: .max, session: nil, outbox: [])
  }

  /// Delivers what the node that made the change has not, or not yet.
  private func repeatNotice(_ stored: StoredSession, _ id: SessionID) async throws(HubRefusal) {
    guard !stored.isReported, stored.session != nil else { return }
    counters.note { $0.outboxRetries += 1 }
    try await report(stored, id)
  }

  /// Delivers a change's notifications, and removes the session from where it no longer belongs.
  private func report(_ stored: StoredSession, _ id: SessionID) async throws(HubRefusal) {
    guard let session = stored.session else { return }
    if let order = stored.push { try await claim(order, stored, id) }
    if stored.isEnd, let call = session.callReport(since: nil) { perform(HubActions(calls: [call])) }
    var commands = delivery.commands(for: stored.outbox, mark: stored.mark(id))
    if session.isEnded || session.isAnswered {
      let pair = RedisKeys.pair(session.caller.userID, session.receiver.userID)
      commands.append(.call("unpair", [pair], [id.text]))
    }
    if session.isEnded {
      for party in [session.caller, session.receiver] {
        commands.append(RedisCommand("ZREM", [UserKeys(party.userID).sessions, id.text]))
      }
      commands.append(RedisCommand("ZREM", [RedisKeys.liveSessions(id), id.text]))
    }
    try await link.run(stages: [commands, [.call("told", [RedisKeys.session(id)], ["\(stored.version)"])]])
  }
}

extension SessionStore {
  /// Sends a push order if no node has claimed it.
  private func claim(_ order: PushOrder, _ stored: StoredSession, _ id: SessionID) async throws(HubRefusal) {
    let key = RedisKeys.session(id) + ":push:\(stored.version)"
    let reply = try await link.run(
      RedisCommand("SET", [key, "1", "NX", "PX", EventDelivery.markLifetime.inMilliseconds]))
    guard reply.text == "OK", let session = stored.session else { return }
    var order = order
    order.timeLeft = Instant.now.duration(to: session.createdAt + limits.unansweredTimeout)
    perform(HubActions(pushes: [order]))
  }
}

extension SessionMessage {
  /// Goes from one party to the other and changes nothing of the session.
  fileprivate var isForwarded: Bool {
    switch self {
    case .candidates, .signal, .control, .controlResult: true
    // Of a recording that begins the session takes note.
    case .archive(let archive): archive.status != .started
    case .ringing, .answer, .reject, .offer, .end: false
    }
  }
}
