internal import HubCore
public import HubStore
public import RedisClient

/// The store in Redis, which all nodes of a hub and its commands share.
///
/// Redis holds signing keys and password hashes then: it has to be protected, and to write to disk, as a database does.
/// What it cannot answer throws ``HubStore/HubStoreError/unavailable(reason:)``.
public final class RedisStore: HubStore {
  /// Accounts of one answer of Redis's.
  private static let portion = 256
  /// How often a change is tried again because another was quicker.
  private static let attempts = 20

  private let client: RedisClient

  public init(_ settings: RedisConnectionSettings) {
    var settings = settings
    settings.libraries = [
      AccountFunctions.library, LoginFunctions.library, PushFunctions.library, CallFunctions.library,
      AuditFunctions.library, InvitationFunctions.library,
    ]
    settings.limits.connections = 1
    client = RedisClient(settings)
  }

  /// Keeps the connection until the task is cancelled; to be called once.
  public func run() async { await client.run() }

  /// Waits until Redis answers.
  ///
  /// - Throws: ``HubStore/HubStoreError/unavailable(reason:)`` when it does not in time.
  public func waitUntilReachable(for limit: Duration) async throws {
    let deadline = ContinuousClock.now + limit
    while true {
      do {
        _ = try await accountRevision()
        return
      } catch HubStoreError.unavailable(let reason) {
        guard ContinuousClock.now < deadline else { throw HubStoreError.unavailable(reason: reason) }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  public var notifiesOfAccountChanges: Bool { false }

  public func accountChanges() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  public var mayHoldLookAlikes: Bool { false }

  // MARK: Accounts

  public func user(id: String) async throws -> UserRecord? { try await stored(id)?.record() }

  public func user(title: String) async throws -> UserRecord? {
    try await user(idIn: AccountKeys.titles, at: UserRecord.titleKey(title))
  }

  public func user(enrolmentKey hashed: String) async throws -> UserRecord? {
    try await user(idIn: AccountKeys.enrolments, at: hashed)
  }

  /// Accounts that change meanwhile may be missing or there twice.
  public func users() async throws -> [UserRecord] {
    var users: [UserRecord] = []
    var start = "-"
    while true {
      let names =
        try await send(
          RedisCommand("ZRANGE", [AccountKeys.order, start, "+", "BYLEX", "LIMIT", "0", "\(Self.portion)"])
        ).elements?.compactMap(\.text) ?? []
      guard let last = names.last else { return users }
      users += try await self.users(names.map(Self.id(ofName:)))
      start = "(" + last
    }
  }

  public func insert(_ user: UserRecord) async throws {
    switch try await change(user.id, from: nil, to: StoredAccount(user)) {
    case .done: return
    case .changed: throw RedisStoreError.idTaken(user.id)
    }
  }

  public func update(_ user: UserRecord) async throws {
    try await changing(user.id) { before in
      guard let before else { throw HubStoreError.unknownUser }
      var after = StoredAccount(user)
      after.follow(before)
      return after
    }
  }

  public func update(
    _ user: UserRecord, ifStill before: UserRecord, leaving rest: AccountRemainder
  ) async throws -> Bool {
    guard let text = try await text(user.id) else { return false }
    let stored = try StoredAccount(text: text, id: user.id)
    guard try stored.record() == before else { return false }
    let revision = try await revision(leaving: rest, before, becoming: user)
    var after = StoredAccount(user)
    after.follow(stored)
    return try await change(user.id, from: text, stored, to: after, atRevision: revision) == .done
  }

  @discardableResult
  public func removeUser(id: String, leaving rest: AccountRemainder) async throws -> Bool {
    let isRemoved = try await changing(id, leaving: rest) { _ in nil }
    _ = try await send(RedisCommand("HDEL", AccountKeys.seen, id))
    _ = try await send(RedisCommand("HDEL", AccountKeys.reports, id))
    for subscription in try await storedSubscriptions(ofUser: id) {
      try await removeSubscription(id: subscription.id, ofUser: id)
    }
    try await removeCalls(ofUser: id)
    return isRemoved
  }

  public func accountRevision() async throws -> Int64 {
    try await send(RedisCommand("GET", AccountKeys.revision)).integer ?? 0
  }

  // MARK: Signing keys

  public func signingKeys() async throws -> [SigningKeyRecord] {
    try Self.signingKeys(try await send(RedisCommand("HVALS", AccountKeys.signingKeys)))
  }

  public func insert(_ key: SigningKeyRecord) async throws {
    _ = try await send(RedisCommand("HSET", AccountKeys.signingKeys, key.keyID, StoredSigningKey(key).text))
  }

  public func insertFirst(_ key: SigningKeyRecord) async throws -> [SigningKeyRecord] {
    try Self.signingKeys(
      try await send(
        .functionCall(
          AccountFunctions.insertFirstKey, keys: [AccountKeys.signingKeys],
          arguments: [key.keyID, StoredSigningKey(key).text])))
  }

  private static func signingKeys(_ reply: RedisValue) throws -> [SigningKeyRecord] {
    let keys = try (reply.elements ?? []).compactMap(\.text).map { try StoredSigningKey(text: $0).record }
    return keys.sorted { ($0.createdAt, $0.keyID) < ($1.createdAt, $1.keyID) }
  }

  // MARK: Reading

  private func text(_ id: String) async throws -> String? {
    try await send(RedisCommand("HGET", AccountKeys.accounts, id)).text
  }

  private func stored(_ id: String) async throws -> StoredAccount? {
    try await text(id).map { try StoredAccount(text: $0, id: id) }
  }

  private func user(idIn index: String, at field: String) async throws -> UserRecord? {
    guard let id = try await send(RedisCommand("HGET", index, field)).text else { return nil }
    return try await user(id: id)
  }

  private func users(_ ids: [String]) async throws -> [UserRecord] {
    let texts = try await send(RedisCommand("HMGET", [AccountKeys.accounts] + ids)).elements ?? []
    return try zip(ids, texts).compactMap { id, text in
      try text.text.map { try StoredAccount(text: $0, id: id).record() }
    }
  }

  private static func id(ofName name: String) -> String {
    String(name[(name.lastIndex(of: "\0").map { name.index(after: $0) } ?? name.startIndex)...])
  }

  // MARK: Changing

  private enum Outcome {
    case done
    /// Another was quicker.
    case changed
  }

  /// The revision of all accounts with which a change was found to leave what it has to; nil where none matters. Another
  /// change makes it another one, so a step of Redis that finds it unchanged has decided about the accounts as they are.
  private func revision(
    leaving rest: AccountRemainder, _ before: UserRecord?, becoming after: UserRecord?
  ) async throws -> Int64? {
    switch rest {
    case .anything: return nil
    case .someoneInCharge:
      guard let before = before?.standing, before.givesUpCharge(becoming: after?.standing) else { return nil }
      let revision = try await accountRevision()
      let others = try await users().map(\.standing)
      if before.isLastInCharge(becoming: after?.standing, among: others) { throw HubStoreError.lastInCharge }
      return revision
    }
  }

  /// Replaces an account by what `body` makes of it (nil: none); returns whether there was one.
  @discardableResult
  private func changing(
    _ id: String, leaving rest: AccountRemainder = .anything, _ body: (StoredAccount?) throws -> StoredAccount?
  ) async throws -> Bool {
    for _ in 0..<Self.attempts {
      let text = try await text(id)
      let before = try text.map { try StoredAccount(text: $0, id: id) }
      let after = try body(before)
      guard before != nil || after != nil else { return false }
      let revision = try await revision(leaving: rest, try? before?.record(), becoming: try after?.record())
      if case .done = try await change(id, from: text, before, to: after, atRevision: revision) { return before != nil }
    }
    throw HubStoreError.unavailable(reason: "others change the account \(id) all the time")
  }

  private func change(
    _ id: String, from text: String?, _ before: StoredAccount? = nil, to after: StoredAccount?,
    atRevision revision: Int64? = nil
  ) async throws -> Outcome {
    let reply = try await send(
      .functionCall(
        AccountFunctions.change,
        keys: [
          AccountKeys.accounts, AccountKeys.titles, AccountKeys.enrolments, AccountKeys.order, AccountKeys.revision,
        ],
        arguments: [
          id, text ?? "", before?.titleKey ?? "", before?.enrolmentKey ?? "", after?.text ?? "", after?.titleKey ?? "",
          after?.enrolmentKey ?? "", revision.map { "\($0)" } ?? "",
        ]))
    switch reply.text {
    case "ok": return .done
    case "taken": throw HubStoreError.titleTaken
    default: return .changed
    }
  }

  func send(_ command: RedisCommand) async throws -> RedisValue {
    let reply: RedisValue
    do {
      reply = try await client.send(command)
    } catch {
      throw HubStoreError.unavailable(reason: "\(error)")
    }
    if let error = reply.error { throw HubStoreError.unavailable(reason: "Redis refuses a command: \(error)") }
    return reply
  }
}

/// Why an account cannot be stored.
public enum RedisStoreError: Error, Equatable, CustomStringConvertible {
  case idTaken(String)

  public var description: String {
    switch self {
    case .idTaken(let id): "there is an account with the id \(id) already"
    }
  }
}
