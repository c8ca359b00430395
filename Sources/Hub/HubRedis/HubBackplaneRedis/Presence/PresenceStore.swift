internal import HubCore
internal import RedisClient
internal import Signalling

/// Presence in Redis: what changes of it, and what follows from that.
struct PresenceStore: Sendable {
  /// What came of an update or a withdrawal.
  struct Outcome {
    /// What others are to receive.
    var announcement: PresenceAnnouncement?
    /// The sessions that the user's clients hold, once all have said so.
    var held: Set<SessionID>?
    /// The user's live sessions.
    var live: [SessionID] = []
    /// The user has reported to be gone.
    var hasLeft = false
  }

  let link: RedisLink
  let clock: SharedClock
  let limits: HubLimits
  let principals = PrincipalTexts()

  func update(
    _ principal: Principal, _ update: PresenceUpdate, now: Instant
  ) async throws(HubRefusal) -> Outcome {
    let keys = UserKeys(principal.userID)
    let reply = try await link.run(
      .call(
        "update", [keys.clients, keys.user, keys.sessions],
        [
          update.eventStreamID ?? "", location(update), located(update, now: now), principals.text(of: principal),
          update.status.rawValue, update.isAudio ? "1" : "0", update.isVideo ? "1" : "0",
          update.sessions.map { $0.map(\.text).joined(separator: ",") } ?? "-",
          limits.reachabilityGrace.inMilliseconds, limits.presenceLifetime.inMilliseconds, keys.channel,
          update.permits.map(encode) ?? "",
        ]))
    guard reply[0].text == "ok" else { throw .eventStreamGone }
    var outcome = Outcome(held: held(reply[3]), live: sessionIDs(reply[4]))
    // Most updates change nothing: then nothing need be decoded.
    if reply[1] == reply[2] { return outcome }
    guard let after = StoredPresence(reply[2]) else { throw .eventStreamGone }
    let before = StoredPresence(reply[1])
    try await index(after, before)
    if after.isShown != before?.isShown ?? false || after.isShown && before?.status != after.status {
      outcome.announcement = after.announcement(isOnline: after.isShown)
    }
    return outcome
  }

  func withdraw(_ userID: String, streamID: String?) async throws(HubRefusal) -> Outcome {
    let keys = UserKeys(userID)
    let reply = try await link.run(
      .call("withdraw", [keys.clients, keys.user, keys.sessions], [streamID ?? ""]))
    let presence = StoredPresence(reply[2])
    guard reply[0].text == "left" else {
      var outcome = Outcome(held: held(reply[3]), live: sessionIDs(reply[4]))
      if reply[1].integer == 1 { outcome.announcement = presence.map { $0.announcement(isOnline: $0.isShown) } }
      return outcome
    }
    var outcome = Outcome(live: sessionIDs(reply[3]), hasLeft: true)
    if let presence {
      try await link.run(GroupIndex.removal(presence.principal))
      if presence.isShown { outcome.announcement = presence.announcement(isOnline: false) }
    }
    return outcome
  }

  /// What others find of the user, and whether a call can reach it.
  static func peek(_ userID: String, within window: Duration) -> RedisCommand {
    let keys = UserKeys(userID)
    return .call("peek", [keys.clients, keys.user], [window.inMilliseconds])
  }

  // MARK: Parts

  /// Writes what changed in the groups' indices.
  private func index(_ after: StoredPresence, _ before: StoredPresence?) async throws(HubRefusal) {
    guard after.isShown else { return }
    if let before, before.isShown, before.location == after.location, before.principal == after.principal { return }
    var commands: [RedisCommand] = []
    if let before, before.principal != after.principal { commands = GroupIndex.removal(before.principal) }
    try await link.run(commands + GroupIndex.insertion(after.principal, at: after.location))
  }

  private func location(_ update: PresenceUpdate) -> String {
    switch update.location {
    case .unchanged: "="
    case .withdrawn: ""
    case .at(let location): encode(location)
    }
  }

  /// When the user was at the position that is shown. A client that omits it leaves what another reported.
  private func located(_ update: PresenceUpdate, now: Instant) -> String {
    if let age = update.positionAge { return "\(clock.milliseconds(at: now) - Int64(age) * 1_000)" }
    return update.location == .unchanged ? "=" : ""
  }

  private func held(_ value: RedisValue) -> Set<SessionID>? {
    guard let text = value.text, text != "-" else { return nil }
    return Set(text.split(separator: ",").compactMap { SessionID(String($0)) })
  }

  private func sessionIDs(_ value: RedisValue) -> [SessionID] { value.texts.compactMap { SessionID($0) } }
}
