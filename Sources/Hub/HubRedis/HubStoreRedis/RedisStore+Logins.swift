internal import FoundationEssentials
public import HubStore
internal import RedisClient

extension RedisStore {
  public func login(id: String) async throws -> LoginRecord? {
    try await send(RedisCommand("GET", LoginKeys.login(id))).text.map { try Self.login($0, id: id) }
  }

  public func logins(ofUser userID: String) async throws -> [LoginRecord] {
    let ids = try await send(RedisCommand("ZRANGE", [LoginKeys.logins(ofUser: userID), "0", "-1"])).elements ?? []
    var logins: [LoginRecord] = []
    for id in ids.compactMap(\.text) {
      if let login = try await login(id: id) { logins.append(login) }
    }
    return logins
  }

  public func putLogin(_ login: LoginRecord, replacing before: LoginRecord?) async throws -> LoginChange {
    let reply = try await send(
      .functionCall(
        LoginFunctions.put,
        keys: [LoginKeys.login(login.id), LoginKeys.logins(ofUser: login.userID), LoginKeys.ended],
        arguments: [login.id, before.map(Self.text) ?? "", Self.text(login), "\(login.expiresAt)"]))
    switch reply.text {
    case "done": return .done
    case "ended": return .ended
    default: return .changed
    }
  }

  @discardableResult
  public func endLogin(_ id: String, of userID: String, at _: Int64) async throws -> Bool {
    let wasThere =
      try await send(
        .functionCall(
          LoginFunctions.end, keys: [LoginKeys.login(id), LoginKeys.logins(ofUser: userID), LoginKeys.ended],
          arguments: [id, "\(LoginMemory.length)"])
      ).integer == 1
    // Those that stay behind where this fails count for nothing without their login.
    for subscription in try await storedSubscriptions(ofUser: userID) where subscription.loginID == id {
      try await removeSubscription(id: subscription.id, ofUser: userID)
    }
    return wasThere
  }

  public func endedLogins(since time: Int64) async throws -> [EndedLogin] {
    var ended: [EndedLogin] = []
    while true {
      let portion = try await endedLogins(since: time, after: ended.count)
      ended += portion
      if portion.count < Self.portion { return ended }
    }
  }

  /// In portions: one answer of Redis has a bound.
  private static let portion = 4_096

  private func endedLogins(since time: Int64, after offset: Int) async throws -> [EndedLogin] {
    let range = [LoginKeys.ended, "\(time)", "+inf", "WITHSCORES", "LIMIT", "\(offset)", "\(Self.portion)"]
    let reply = try await send(RedisCommand("ZRANGEBYSCORE", range)).elements ?? []
    return stride(from: 0, to: reply.count - 1, by: 2).compactMap { index in
      guard let id = reply[index].text, let time = reply[index + 1].text.flatMap({ Int64($0) }) else { return nil }
      return EndedLogin(id: id, endedAt: time)
    }
  }

  /// The same text for the same record: changes compare it.
  private static func text(_ login: LoginRecord) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(login) else { preconditionFailure("a record cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  private static func login(_ text: String, id: String) throws -> LoginRecord {
    guard let login = try? JSONDecoder().decode(LoginRecord.self, from: Data(text.utf8)) else {
      throw StoredRecordError.unreadableLogin(id: id)
    }
    return login
  }
}
