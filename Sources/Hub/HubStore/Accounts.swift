public import HubCore
internal import Signalling

/// Why an account cannot be made as asked.
public enum AccountError: Error, Equatable, CustomStringConvertible {
  case badTitle(TitleRefusal)
  case badGroup(String)
  case weakPassword

  public var description: String {
    switch self {
    case .badTitle(let refusal): refusal.description
    case .badGroup(let name): "'\(name)' is no group name: 1 to 64 letters, digits, '-', '_' or '.'"
    case .weakPassword: "a password needs at least 8 characters"
    }
  }
}

/// A person who gets an account; without groups, in ``Accounts/defaultGroup``.
public struct NewPerson: Sendable {
  public var title: String
  public var role: UserRole
  public var groups: Set<String>
  public var password: String

  public init(title: String, role: UserRole = .user, groups: Set<String> = [], password: String) {
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

  private let store: any HubStore

  public init(store: any HubStore) {
    self.store = store
  }

  /// Adds a person. `now` is in milliseconds since 1970, `id` a fresh unique name.
  public func add(
    _ person: NewPerson, cost: PasswordHash.Cost = .standard, id: String, now: Int64
  ) async throws -> UserRecord {
    let credential = try Self.credential(password: person.password, cost: cost)
    return try await add(
      UserRecord(
        id: id, title: person.title, role: person.role, kind: .person, groups: person.groups, credential: credential,
        createdAt: now))
  }

  /// Gives a person another password; the tokens of the old one end. Nil when there is no person of that title.
  public func setPassword(
    title: String, password: String, cost: PasswordHash.Cost = .standard
  ) async throws -> UserRecord? {
    let credential = try Self.credential(password: password, cost: cost)
    guard var record = try await store.user(title: title), record.kind == .person else { return nil }
    record.credential = credential
    try await store.update(record)
    return record
  }

  private static func credential(password: String, cost: PasswordHash.Cost) throws -> Credential {
    guard password.count >= 8 else { throw AccountError.weakPassword }
    return .password(try PasswordHash(password: password, cost: cost).text)
  }

  /// Enrols a device, or gives an enrolled one a new key (the old one ends).
  public func enrolDevice(
    title: String, groups: Set<String>, replacing: Bool, id: String, now: Int64
  ) async throws -> (record: UserRecord, key: EnrolmentKey) {
    let key = EnrolmentKey()
    if replacing, var record = try await store.user(title: title), record.role == .device {
      record.credential = .enrolmentKey(key.hashed)
      if !groups.isEmpty { record.groups = groups }
      try await store.update(record)
      return (record, key)
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
    let newTitle = try enforcedTitle(newTitle)
    guard var record = try await store.user(title: title) else { return nil }
    record.title = newTitle
    try await store.update(record)
    return record
  }

  private func add(_ new: UserRecord) async throws -> UserRecord {
    var record = new
    record.title = try enforcedTitle(new.title)
    for group in new.groups where !isValidGroup(group) { throw AccountError.badGroup(group) }
    if new.groups.isEmpty { record.groups = [Self.defaultGroup] }
    try await store.insert(record)
    return record
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
