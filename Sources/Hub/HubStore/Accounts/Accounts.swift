public import HubCore
public import Signalling

/// Why an account cannot be made as asked.
public enum AccountError: Error, Equatable, CustomStringConvertible {
  case badTitle(TitleRefusal)
  case badGroup(String)
  case noGroup
  case tooManyGroups
  case weakPassword

  public var description: String {
    switch self {
    case .badTitle(let refusal): refusal.description
    case .badGroup(let name): "'\(name)' is no group name: 1 to 64 letters, digits, '-', '_' or '.'"
    case .noGroup: "an account needs a group"
    case .tooManyGroups: "an account has at most \(Accounts.maximumGroups) groups"
    case .weakPassword: "a password needs at least 8 characters"
    }
  }
}

/// A person who gets an account; without groups, in ``Accounts/defaultGroup``.
public struct NewPerson: Sendable {
  public var title: String
  public var role: AccountRole
  public var groups: Set<String>
  public var password: String

  public init(title: String, role: AccountRole = .user, groups: Set<String> = [], password: String) {
    self.title = title
    self.role = role
    self.groups = groups
    self.password = password
  }
}

/// Makes accounts: what the commands do, without their options and output.
public struct Accounts: Sendable {
  /// The default group.
  public static let defaultGroup = "default"
  public static let maximumGroups = 64
  /// How often a change is tried again because another was quicker.
  private static let attempts = 20

  private let store: any HubStore

  public init(store: any HubStore) {
    self.store = store
  }

  /// Adds a person. `now` is in milliseconds since 1970, `id` a fresh unique name.
  public func add(
    _ person: NewPerson, cost: PasswordHash.Cost = .standard, id: String, now: Int64
  ) async throws -> UserRecord {
    let credential = try Self.credential(password: person.password, cost: cost)
    var record = UserRecord(
      id: id, title: person.title, role: .user, kind: .person, groups: person.groups, credential: credential,
      createdAt: now)
    record.accountRole = person.role
    return try await add(record)
  }

  /// Gives a person another password; the tokens of the old one end. Nil when there is no person of that title.
  public func setPassword(
    title: String, password: String, cost: PasswordHash.Cost = .standard
  ) async throws -> UserRecord? {
    let credential = try Self.credential(password: password, cost: cost)
    guard let record = try await store.user(title: title), record.kind == .person else { return nil }
    return try await change(record.id) { $0.credential = credential }
  }

  /// Takes tens of milliseconds by intent.
  public static func credential(password: String, cost: PasswordHash.Cost = .standard) throws -> Credential {
    guard password.count >= 8 else { throw AccountError.weakPassword }
    return .password(try PasswordHash(password: password, cost: cost).text)
  }

  /// Enrols a device, or gives an enrolled one a new key (the old one ends).
  public func enrolDevice(
    title: String, groups: Set<String>, replacing: Bool, id: String, now: Int64
  ) async throws -> (record: UserRecord, key: EnrolmentKey) {
    let key = EnrolmentKey()
    if replacing, let known = try await store.user(title: title), known.role == .device {
      let changed = try await change(known.id) { record in
        record.credential = .enrolmentKey(key.hashed)
        if !groups.isEmpty { record.groups = groups }
      }
      if let changed { return (changed, key) }
    }
    let record = try await add(
      UserRecord(
        id: id, title: title, role: .device, kind: .device, groups: groups, credential: .enrolmentKey(key.hashed),
        createdAt: now))
    return (record, key)
  }

  /// Gives an account another title; devices and tokens stay what they are, since their ids do. Nil when there is no
  /// account of that title.
  public func rename(_ title: String, to newTitle: String) async throws -> UserRecord? {
    guard let record = try await store.user(title: title) else { return nil }
    return try await change(record.id) { $0.title = newTitle }
  }

  /// Changes an account by `edit`, which may be asked again where another change came first, and throws for no change. Nil
  /// when there is no such account.
  ///
  /// - Throws: ``AccountError``, ``HubStoreError``, and what `edit` throws.
  public func change(
    _ id: String, leaving rest: AccountRemainder = .anything, _ edit: (inout UserRecord) throws -> Void
  ) async throws -> UserRecord? {
    for _ in 0..<Self.attempts {
      guard let before = try await store.user(id: id) else { return nil }
      var after = before
      try edit(&after)
      guard after != before else { return before }
      if after.title != before.title { after.title = try enforcedTitle(after.title) }
      if after.groups != before.groups { try Self.check(after.groups) }
      if try await store.update(after, ifStill: before, leaving: rest) { return try await store.user(id: id) }
    }
    throw HubStoreError.unavailable(reason: "others change the account \(id) all the time")
  }

  /// Adds an account under the normal form of its title; without groups in ``defaultGroup``. Returns it as it is stored.
  public func add(_ new: UserRecord) async throws -> UserRecord {
    var record = new
    record.title = try enforcedTitle(new.title)
    if new.groups.isEmpty { record.groups = [Self.defaultGroup] }
    try Self.check(record.groups)
    try await store.insert(record)
    return record
  }

  private static func check(_ groups: Set<String>) throws {
    guard !groups.isEmpty else { throw AccountError.noGroup }
    guard groups.count <= maximumGroups else { throw AccountError.tooManyGroups }
    for group in groups where !isValidGroup(group) { throw AccountError.badGroup(group) }
  }
}

private func enforcedTitle(_ text: String) throws -> String {
  do {
    return try Title(enforcing: text).text
  } catch {
    throw AccountError.badTitle(error)
  }
}

private func isValidGroup(_ name: String) -> Bool {
  (1...64).contains(name.utf8.count)
    && name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_.".unicodeScalars.contains($0)
    }
}
