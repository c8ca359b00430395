public import HubCore
internal import Signalling

/// Why an account cannot be made as asked.
public enum AccountError: Error, Equatable, CustomStringConvertible {
  case badTitle
  case badGroup(String)
  case weakPassword

  public var description: String {
    switch self {
    case .badTitle: "a title has 1 to 128 bytes, no control characters, and no space at its ends"
    case .badGroup(let name): "'\(name)' is no group name: 1 to 64 letters, digits, '-', '_' or '.'"
    case .weakPassword: "a password needs at least 8 characters"
    }
  }
}

/// Makes accounts: what the commands do, without their options and output.
public struct Accounts: Sendable {
  /// The group of everybody where nobody says otherwise.
  public static let defaultGroup = "default"

  private let store: any HubStore

  public init(store: any HubStore) {
    self.store = store
  }

  /// Adds a person. `now` is in milliseconds since 1970, `id` a fresh unique name.
  public func addUser(
    title: String, role: UserRole, groups: Set<String>, password: String, cost: PasswordHash.Cost = .standard,
    id: String, now: Int64
  ) async throws -> UserRecord {
    guard password.count >= 8 else { throw AccountError.weakPassword }
    let hash = try PasswordHash(password: password, cost: cost)
    return try await add(
      title: title, role: role, kind: .person, groups: groups, credential: .password(hash.text), id: id, now: now)
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
      title: title, role: .device, kind: .device, groups: groups, credential: .enrolmentKey(key.hashed), id: id,
      now: now)
    return (record, key)
  }

  private func add(
    title: String, role: UserRole, kind: UserKind, groups: Set<String>, credential: Credential, id: String, now: Int64
  ) async throws -> UserRecord {
    guard isValidTitle(title) else { throw AccountError.badTitle }
    for group in groups where !isValidGroup(group) { throw AccountError.badGroup(group) }
    let record = UserRecord(
      id: id, title: title, role: role, kind: kind, groups: groups.isEmpty ? [Self.defaultGroup] : groups,
      credential: credential, createdAt: now)
    try await store.insert(record)
    return record
  }
}

/// Whether a title can be shown in a line of text.
public func isValidTitle(_ title: String) -> Bool {
  (1...128).contains(title.utf8.count) && title.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    && title.first?.isWhitespace == false && title.last?.isWhitespace == false
}

private func isValidGroup(_ name: String) -> Bool {
  (1...64).contains(name.utf8.count)
    && name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_.".unicodeScalars.contains($0)
    }
}
