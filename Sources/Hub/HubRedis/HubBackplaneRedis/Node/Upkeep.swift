internal import HubCore
internal import RedisClient
internal import Signalling

/// What becomes due by itself, done by the first node that checks: every step has an effect once, however many take it.
struct Upkeep: Sendable {
  /// How long a node may be silent before the others take it for dead.
  static let silence: Duration = .seconds(12)
  /// Users of a dead node that one step handles.
  private static let portion = 200
  private static let dueAtOnce = 64

  let link: RedisLink
  let limits: HubLimits
  let sessions: SessionStore
  let announcer: Announcer

  // MARK: Sessions

  /// Handles the sessions that are due.
  func sweepSessions(now: Instant) async throws(HubRefusal) {
    for (member, time, key) in try await due(RedisKeys.dueSessions(shard:)) {
      guard let id = SessionID(member) else { continue }
      if let again = try await sessions.sweep(id, now: now) {
        try await link.run(.call("postpone", [key], [member, again.inMilliseconds]))
      } else {
        try await link.run(.call("settle", [key], [member, time]))
      }
    }
  }

  // MARK: Users

  /// Handles in turns those who have lost their last stream.
  static func watch(_ userID: String, after delay: Duration) -> RedisCommand {
    .call("postpone", [RedisKeys.goneUsers(userID)], [userID, delay.inMilliseconds])
  }

  /// Hides those whose last stream closed a while ago, and ends the sessions of those who are gone for good.
  func sweepUsers(now: Instant) async throws(HubRefusal) {
    for (userID, time, key) in try await due(RedisKeys.goneUsers(shard:)) {
      let keys = UserKeys(userID)
      let reply = try await link.run(
        .call(
          "check_gone", [keys.clients, keys.user, keys.sessions],
          [limits.reachabilityGrace.inMilliseconds, limits.resumeWindow.inMilliseconds]))
      let age = Duration.milliseconds(reply[0].integer ?? -1)
      if reply[1].integer == 1, let presence = StoredPresence(reply[2]) {
        try await link.run(
          GroupIndex.removal(presence.principal) + announcer.commands(for: presence.announcement(isOnline: false)))
      }
      for session in reply[3].texts.compactMap({ SessionID($0) }) {
        try await sessions.vanish(session, of: userID, .hasNoStream, now: now)
      }
      let next: RedisCommand =
        age < .zero || age >= limits.resumeWindow
        ? .call("settle", [key], [userID, time])
        : Self.watch(
          userID, after: (age < limits.reachabilityGrace ? limits.reachabilityGrace : limits.resumeWindow) - age)
      try await link.run(next)
    }
  }

  // MARK: Nodes

  /// Closes the streams of nodes that are dead; returns their names.
  func clearAwayDeadNodes() async throws(HubRefusal) -> [String] {
    let dead = try await link.run(.call("silent", [RedisKeys.nodes], [Self.silence.inMilliseconds])).texts
    for node in dead {
      var isEmpty = false
      while !isEmpty { isEmpty = try await clearAway(node) }
      try await link.run([
        RedisCommand("ZREM", [RedisKeys.nodes, node]), RedisCommand("HDEL", [RedisKeys.nodeFigures, node]),
      ])
    }
    return dead
  }

  /// Returns whether none is left.
  private func clearAway(_ node: String) async throws(HubRefusal) -> Bool {
    let key = RedisKeys.users(ofNode: node)
    let streams = try await link.run(RedisCommand("SRANDMEMBER", [key, "\(Self.portion)"])).texts
    guard !streams.isEmpty else { return true }
    let known = streams.compactMap(StreamName.init)
    try await link.run(known.flatMap { Self.closing($0.streamID, of: $0.userID, limits: limits) })
    try await link.run(RedisCommand("SREM", [key] + streams))
    return false
  }

  /// What closes a stream in Redis.
  static func closing(_ streamID: String, of userID: String, limits: HubLimits) -> [RedisCommand] {
    let keys = UserKeys(userID)
    return [
      .call(
        "close", [keys.clients, keys.user, keys.events, keys.sessions],
        [streamID, (limits.resumeWindow * 3).inMilliseconds]),
      watch(userID, after: limits.reachabilityGrace),
    ]
  }

  // MARK: Parts

  private func due(
    _ key: (UInt64) -> String
  ) async throws(HubRefusal) -> [(member: String, time: String, key: String)] {
    let keys = (0..<RedisKeys.shardCount).map(key)
    let replies = try await link.run(keys.map { .call("due", [$0], ["\(Self.dueAtOnce)"]) })
    return zip(keys, replies).flatMap { key, reply in
      let texts = reply.texts
      return stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1], key) }
    }
  }
}

/// A stream with its user, as a node's set of streams has it.
struct StreamName {
  let userID: String
  let streamID: String

  init(_ streamID: String, of userID: String) {
    (self.userID, self.streamID) = (userID, streamID)
  }

  init?(_ text: String) {
    guard let space = text.lastIndex(of: " ") else { return nil }
    self.init(String(text[text.index(after: space)...]), of: String(text[..<space]))
  }

  var text: String { "\(userID) \(streamID)" }
}
