internal import HubCore
internal import SystemSupport
internal import RedisClient
internal import Signalling

/// Calls as requests place them, and what their parties say. Limits of calls count for all nodes together, those against
/// floods of messages for this node alone.
final class SharedCalls: Sendable {
  private let node: NodeContext
  private let sessions: SessionStore
  private let messages: Mutex<RateLimiter>

  init(_ node: NodeContext, sessions: SessionStore) {
    (self.node, self.sessions) = (node, sessions)
    messages = Mutex(RateLimiter(perMinute: node.limits.messagesPerMinute))
  }

  func prepare(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest, subscriber: Principal?
  ) async throws(HubRefusal) -> CallContext {
    try request.check(from: caller)
    let replies = try await node.link.run([
      RateLimits.take(callsOf: caller, node.limits),
      PresenceStore.peek(request.receiverID, within: node.limits.resumeWindow),
      PresenceStore.peek(caller.userID, within: node.limits.resumeWindow),
    ])
    if let wait = replies[0].integer, wait > 0 {
      node.counters.note { $0.callsRefused += 1 }
      throw .tooMany("calls", retryAfter: Int(clamping: wait))
    }
    let presence = replies[1][0].integer == 1 ? StoredPresence(replies[1][1]) : nil
    guard let receiver = presence?.principal ?? subscriber, receiver.sharesGroup(with: caller) else {
      node.counters.note { $0.callsRefused += 1 }
      throw .receiverOffline
    }
    let known = try await sessions.known(sessionID, request, from: caller)
    return CallContext(
      request, from: (caller, StoredPresence(replies[2][1])?.location), to: (receiver, presence?.location),
      ringsPhones: subscriber != nil, known: known)
  }

  func place(_ placement: CallPlacement) async throws(HubRefusal) {
    let isNew = try await sessions.place(placement, now: .now)
    node.counters.note { $0.callsPlaced += isNew ? 1 : 0 }
    // A caller without event stream counts as gone unless it opens one.
    if !node.registry.hasStream(of: placement.caller.userID) {
      try await node.link.run(Upkeep.watch(placement.caller.userID, after: node.limits.reachabilityGrace))
    }
  }

  func receive(
    _ message: SessionMessage, in sessionID: SessionID, from sender: Principal
  ) async throws(HubRefusal) {
    try message.check(in: sessionID, from: sender, limits: node.limits)
    let now = Instant.now
    if let wait = messages.withLock({ $0.take(sender.userID, now: now) }) {
      throw .tooMany("messages", retryAfter: wait)
    }
    try await sessions.receive(message, in: sessionID, from: sender, now: now)
  }

  func note(_ report: PhoneReport, in sessionID: SessionID) async throws(HubRefusal) {
    try await sessions.note(report, in: sessionID, now: .now)
  }

  func isInSession(_ userID: String) async throws(HubRefusal) -> Bool {
    try await !sessions.liveSessions(of: userID).isEmpty
  }

  func ongoing() async throws(HubRefusal) -> [OngoingCall] { try await sessions.ongoing(now: .now) }

  func ongoing(_ sessionID: SessionID) async throws(HubRefusal) -> OngoingCall? {
    try await sessions.load(sessionID)?.session.flatMap { OngoingCall($0, now: .now) }
  }

  func end(_ sessionID: SessionID) async throws(HubRefusal) {
    do {
      try await sessions.apply(to: sessionID) { $0.end(reason: .hangup, now: .now) }
    } catch .sessionUnknown {
      // Forgotten meanwhile.
    }
  }

  func trim(now: Instant) { messages.withLock { $0.trim(now: now) } }
}
