public import Signalling

/// All sessions of a hub, by id and by party.
public struct CallSessionTable: Sendable {
  private let limits: HubLimits
  private var sessions: [SessionID: CallSession] = [:]
  /// Live sessions alone.
  private var idsByUser: [String: Set<SessionID>] = [:]
  /// What push subscriptions are to be sent, until it is taken.
  private var pushes: [PushOrder] = []
  /// Calls that are over, until they are taken.
  private var reports: [CallReport] = []

  public init(limits: HubLimits) {
    self.limits = limits
  }

  public var isEmpty: Bool { sessions.isEmpty }

  public var liveCount: Int { sessions.values.count { !$0.isEnded } }

  var live: [CallSession] { sessions.values.filter { !$0.isEnded } }

  subscript(sessionID: SessionID) -> CallSession? { sessions[sessionID] }

  public func liveSessionIDs(of userID: String) -> Set<SessionID> { idsByUser[userID] ?? [] }

  var usersInSessions: [String] { Array(idsByUser.keys) }

  /// The live session that this very request has made already, nil when the id is free; another request may not have
  /// the same id.
  func known(
    _ sessionID: SessionID, _ request: SessionRequest, from caller: Principal
  ) throws(HubRefusal) -> CallSession? {
    guard let session = sessions[sessionID] else { return nil }
    guard session.isRepeated(by: request, from: caller.userID) else { throw .sessionExists }
    if session.isEnded { throw .sessionEnded }
    return session
  }

  /// Adds a session, or recognises a repeated request; then nothing is to be delivered.
  mutating func place(_ placement: CallPlacement, now: Instant) throws(HubRefusal) -> [Delivery] {
    if try known(placement.sessionID, placement.request, from: placement.caller) != nil { return [] }
    var deliveries: [Delivery] = []
    if let rival = rival(of: placement) {
      guard placement.caller.userID < placement.receiver.userID else { throw .glare }
      deliveries = end(rival, reason: .glare, now: now)
    }
    for userID in [placement.caller.userID, placement.receiver.userID]
    where liveSessionIDs(of: userID).count >= limits.sessionsPerUser {
      throw .tooMany("sessions of one user", retryAfter: 30)
    }
    guard unansweredCalls(by: placement.caller.userID) < limits.unansweredCalls(of: placement.caller) else {
      throw .tooMany("unanswered calls of one caller", retryAfter: 10)
    }
    insert(CallSession(placement, now: now))
    return deliveries + [Delivery(userID: placement.receiver.userID, event: .callIncoming(placement.event))]
  }

  /// What push subscriptions are to be sent because of the changes since the last time.
  mutating func takePushes() -> [PushOrder] {
    defer { pushes = [] }
    return pushes
  }

  /// The calls that have ended since the last time.
  mutating func takeReports() -> [CallReport] {
    defer { reports = [] }
    return reports
  }

  /// Changes a session by a party's message; returns the notifications.
  mutating func apply(
    to sessionID: SessionID, _ change: (inout CallSession) throws(HubRefusal) -> [Delivery]
  ) throws(HubRefusal) -> [Delivery] {
    guard var session = sessions[sessionID] else { throw .sessionUnknown }
    let deliveries = try change(&session)
    store(session)
    return deliveries
  }

  /// The calls that wait for this user's answer, repeated, the oldest first.
  ///
  /// - Parameter onlyThoseOnPhones: leaves out those that ring at no phone.
  func unanswered(by userID: String, onlyThoseOnPhones: Bool = false) -> [Delivery] {
    let waiting = liveSessionIDs(of: userID).compactMap { sessions[$0] }.filter { session in
      session.receiver.userID == userID && (session.waitsForPhones || !onlyThoseOnPhones)
    }
    return waiting.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }.compactMap { session in
      session.incoming.map { Delivery(userID: userID, event: .callIncoming($0)) }
    }
  }

  /// Ends the live sessions of a party that is gone, but those that go on without it.
  mutating func vanish(userID: String, _ departure: CallSession.Departure, now: Instant) -> [Delivery] {
    let lost = liveSessionIDs(of: userID).sorted().filter { id in sessions[id]?.ends(with: userID, departure) ?? false }
    return lost.flatMap { end($0, reason: .vanished, now: now) }
  }

  /// Notes which of the receiver's phones ring; returns the receiver as well where there is none.
  mutating func note(
    _ report: PhoneReport, in sessionID: SessionID
  ) -> (deliveries: [Delivery], receiverWithoutPhone: String?) {
    guard var session = sessions[sessionID] else { return ([], nil) }
    let deliveries = session.note(report)
    store(session)
    return (deliveries, session.hasNoPhone ? session.receiver.userID : nil)
  }

  /// Ends the sessions that a party knew and no longer holds, as it reports.
  mutating func reconcile(userID: String, held: Set<SessionID>, now: Instant) -> [Delivery] {
    let lost = liveSessionIDs(of: userID).subtracting(held).sorted().filter { id in
      guard let session = sessions[id], let party = session.party(of: userID) else { return false }
      return session.ends(with: userID, .left) && session.isKnown(to: party)
        && session.createdAt.duration(to: now) >= limits.reconciliationGrace
    }
    return lost.flatMap { end($0, reason: .vanished, now: now) }
  }

  /// Ends unanswered calls and those whose time is over, and forgets what ended long ago.
  mutating func expire(now: Instant) -> [Delivery] {
    sessions = sessions.filter { _, session in
      session.endedAt.map { $0.duration(to: now) < limits.endedSessionMemory } ?? true
    }
    let overdue = sessions.values.compactMap { session in
      session.deadline(limits).flatMap { $0.time <= now ? (id: session.id, reason: $0.reason) : nil }
    }
    return overdue.sorted { $0.id < $1.id }.flatMap { end($0.id, reason: $0.reason, now: now) }
  }

  private func unansweredCalls(by userID: String) -> Int {
    liveSessionIDs(of: userID).count { id in
      sessions[id].map { $0.caller.userID == userID && !$0.isAnswered } ?? false
    }
  }

  /// The unanswered call in the opposite direction.
  private func rival(of placement: CallPlacement) -> SessionID? {
    liveSessionIDs(of: placement.caller.userID).first { id in
      guard let session = sessions[id] else { return false }
      return session.caller.userID == placement.receiver.userID && !session.isAnswered
    }
  }

  mutating func end(_ sessionID: SessionID, reason: EndReason, now: Instant) -> [Delivery] {
    guard var session = sessions[sessionID] else { return [] }
    let deliveries = session.end(reason: reason, now: now)
    store(session)
    return deliveries
  }

  private mutating func insert(_ session: CallSession) {
    notePush(session.pushOrder(since: nil))
    sessions[session.id] = session
    idsByUser[session.caller.userID, default: []].insert(session.id)
    idsByUser[session.receiver.userID, default: []].insert(session.id)
  }

  private mutating func notePush(_ order: PushOrder?) {
    guard var order else { return }
    order.timeLeft = limits.unansweredTimeout
    pushes.append(order)
  }

  private mutating func store(_ session: CallSession) {
    if let before = sessions[session.id] {
      notePush(session.pushOrder(since: before))
      if let report = session.callReport(since: before) { reports.append(report) }
    }
    sessions[session.id] = session
    guard session.isEnded else { return }
    for userID in [session.caller.userID, session.receiver.userID] {
      idsByUser[userID]?.remove(session.id)
      if idsByUser[userID]?.isEmpty == true { idsByUser[userID] = nil }
    }
  }
}

extension CallPlacement {
  /// The receiver's event.
  public var event: IncomingCallEvent {
    IncomingCallEvent(
      sessionID: sessionID, callerID: caller.userID, callerTitle: caller.userTitle, callerRole: caller.role.rawValue,
      callerGroups: caller.groups.sorted(), distance: distance, isAudio: request.isAudio, isVideo: request.isVideo,
      offer: request.offer, token: tokens.receiver, callerToken: tokens.caller, iceServers: receiverICEServers)
  }
}
