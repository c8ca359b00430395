internal import FoundationEssentials
internal import HubCore
internal import HubStore
internal import Signalling

/// An account as Redis has it: JSON.
struct StoredAccount: Codable {
  /// The form of the record. A version that writes another form reads this one too, and begins to write the new one a
  /// release later, when no node is left that cannot read it.
  static let format = 1
  private static let enrolmentKeyKind = "enrolmentKey"

  private var format: Int
  private var id: String
  private var title: String
  let titleKey: String
  private var role: String
  private var kind: String
  private var groups: [String]
  private var credentialKind: String
  private var credential: String
  private var createdAt: Int64
  private(set) var credentialGeneration: Int64
  /// Absent for what is not so, and in records of earlier versions.
  private var isAdministrator: Bool?
  private var isDisabled: Bool?

  init(_ record: UserRecord) {
    format = Self.format
    (id, title, titleKey) = (record.id, record.title, UserRecord.titleKey(record.title))
    (role, kind, groups) = (record.role.rawValue, record.kind.rawValue, record.groups.sorted())
    switch record.credential {
    case .password(let text): (credentialKind, credential) = ("password", text)
    case .enrolmentKey(let text): (credentialKind, credential) = (Self.enrolmentKeyKind, text)
    }
    (createdAt, credentialGeneration) = (record.createdAt, record.credentialGeneration)
    isAdministrator = record.isAdministrator ? true : nil
    isDisabled = record.isDisabled ? true : nil
  }

  /// Reads the stored text.
  init(text: String, id: String) throws {
    guard let stored = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)), stored.format == Self.format else {
      throw StoredRecordError.unreadableAccount(id: id)
    }
    self = stored
  }

  var text: String { encodedText(of: self) }

  func record() throws -> UserRecord {
    guard let role = UserRole(rawValue: role), let kind = UserKind(rawValue: kind) else {
      throw StoredRecordError.unreadableAccount(id: id)
    }
    return UserRecord(
      id: id, title: title, role: role, kind: kind, groups: Set(groups), credential: try storedCredential(),
      createdAt: createdAt, credentialGeneration: credentialGeneration, isAdministrator: isAdministrator ?? false,
      isDisabled: isDisabled ?? false)
  }

  /// The hashed key of a device, or an empty text.
  var enrolmentKey: String { credentialKind == Self.enrolmentKeyKind ? credential : "" }

  /// Counts credentials on from an account that this one replaces.
  mutating func follow(_ before: StoredAccount) {
    let isSame = credentialKind == before.credentialKind && credential == before.credential
    let (next, isOverflow) = before.credentialGeneration.addingReportingOverflow(isSame ? 0 : 1)
    credentialGeneration = isOverflow ? .max : next
  }

  private func storedCredential() throws -> Credential {
    switch credentialKind {
    case "password": .password(credential)
    case Self.enrolmentKeyKind: .enrolmentKey(credential)
    default: throw StoredRecordError.unreadableAccount(id: id)
    }
  }
}

/// A signing key as Redis has it: JSON.
struct StoredSigningKey: Codable {
  private var format: Int
  private var keyID: String
  /// Base 64.
  private var privateKey: Data
  private var createdAt: Int64

  init(_ record: SigningKeyRecord) {
    format = StoredAccount.format
    (keyID, privateKey, createdAt) = (record.keyID, Data(record.privateKey), record.createdAt)
  }

  init(text: String) throws {
    guard let stored = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
      stored.format == StoredAccount.format
    else { throw StoredRecordError.unreadableSigningKey }
    self = stored
  }

  var text: String { encodedText(of: self) }

  var record: SigningKeyRecord {
    SigningKeyRecord(keyID: keyID, privateKey: Array(privateKey), createdAt: createdAt)
  }
}

/// A record that this version of the hub cannot read.
enum StoredRecordError: Error, CustomStringConvertible {
  case unreadableAccount(id: String)
  case unreadableSigningKey
  case unreadableLogin(id: String)
  case unreadableSubscription(id: String)
  case unreadablePushKey
  case unreadableAudit
  case unreadableInvitation

  var description: String {
    switch self {
    case .unreadableAccount(let id): "the account \(id) in Redis cannot be read; a newer hub may have written it"
    case .unreadableLogin(let id): "the login \(id) in Redis cannot be read; a newer hub may have written it"
    case .unreadableSubscription(let id):
      "the push subscription \(id) in Redis cannot be read; a newer hub may have written it"
    case .unreadablePushKey: "the push key in Redis cannot be read; a newer hub may have written it"
    case .unreadableInvitation: "an invitation in Redis cannot be read; a newer hub may have written it"
    case .unreadableAudit: "an entry of the audit log in Redis cannot be read; a newer hub may have written it"
    case .unreadableSigningKey: "a signing key in Redis cannot be read; a newer hub may have written it"
    }
  }
}

/// Records are plain values, so encoding cannot fail.
func encodedText(of record: some Encodable) -> String {
  guard let data = try? JSONEncoder().encode(record) else { preconditionFailure("a record cannot be encoded") }
  return String(decoding: data, as: UTF8.self)
}
