internal import FoundationEssentials
public import HubStore
internal import OpenSSLCrypto
internal import RedisClient

extension RedisStore {
  public func putSubscription(_ subscription: PushSubscriptionRecord) async throws -> Bool {
    try await send(
      .functionCall(
        PushFunctions.put,
        keys: [
          PushKeys.subscriptions, PushKeys.endpoints, PushKeys.order, LoginKeys.login(subscription.loginID),
        ],
        arguments: [
          subscription.id, StoredSubscription(subscription).text, subscription.userID,
          "\(PushSubscriptionRecord.maximumPerUser)",
        ])
    ).integer == 1
  }

  /// Forgets those whose logins are gone.
  public func subscriptions(ofUser userID: String) async throws -> [PushSubscriptionRecord] {
    var found: [PushSubscriptionRecord] = []
    for record in try await storedSubscriptions(ofUser: userID) {
      if try await login(id: record.loginID) != nil {
        found.append(record)
      } else {
        try await removeSubscription(id: record.id, ofUser: userID)
      }
    }
    return found
  }

  public func subscriptionCount() async throws -> Int {
    Int(clamping: try await send(RedisCommand("HLEN", PushKeys.subscriptions)).integer ?? 0)
  }

  @discardableResult
  public func removeSubscription(id: String, ofUser userID: String) async throws -> Bool {
    try await send(
      .functionCall(
        PushFunctions.remove, keys: [PushKeys.subscriptions, PushKeys.endpoints, PushKeys.order],
        arguments: [id, userID])
    ).integer == 1
  }

  public func pushKey() async throws -> [UInt8]? {
    try await send(RedisCommand("GET", PushKeys.key)).text.map(Self.pushKey)
  }

  public func insertFirstPushKey(_ key: [UInt8]) async throws -> [UInt8] {
    let reply = try await send(
      .functionCall(
        PushFunctions.insertFirstKey, keys: [PushKeys.key], arguments: [Data(key).base64EncodedString()]))
    return try Self.pushKey(reply.text ?? "")
  }

  /// Those of a user, whatever became of their logins; the oldest first.
  func storedSubscriptions(ofUser userID: String) async throws -> [PushSubscriptionRecord] {
    let range = [PushKeys.order, "[\(userID)\0", "(\(userID)\u{1}", "BYLEX"]
    let places = try await send(RedisCommand("ZRANGE", range)).elements?.compactMap(\.text) ?? []
    let ids = places.compactMap { $0.split(separator: "\0").last.map(String.init) }
    guard !ids.isEmpty else { return [] }
    let texts = try await send(RedisCommand("HMGET", [PushKeys.subscriptions] + ids)).elements ?? []
    return try zip(ids, texts).compactMap { id, text in
      try text.text.map { try StoredSubscription(text: $0, id: id).record }
    }
  }

  private static func pushKey(_ text: String) throws -> [UInt8] {
    guard let key = Data(base64Encoded: text) else { throw StoredRecordError.unreadablePushKey }
    return Array(key)
  }
}

/// A push subscription as Redis has it: JSON, whose ``place`` and ``mark`` its functions read.
struct StoredSubscription: Codable {
  private var format: Int
  let record: PushSubscriptionRecord
  private var place: String
  private var mark: String

  init(_ record: PushSubscriptionRecord) {
    format = StoredAccount.format
    self.record = record
    // Of one width, so that texts are in the order of times.
    let time = String(repeating: "0", count: max(0, 19 - "\(record.createdAt)".utf8.count)) + "\(record.createdAt)"
    place = "\(record.userID)\0\(time)\0\(record.id)"
    mark = Data(OpenSSLCrypto().sha256(Array(record.endpoint.utf8))).base64EncodedString()
  }

  init(text: String, id: String) throws {
    guard let stored = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
      stored.format == StoredAccount.format
    else { throw StoredRecordError.unreadableSubscription(id: id) }
    self = stored
  }

  var text: String {
    guard let data = try? JSONEncoder().encode(self) else { preconditionFailure("a record cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }
}
