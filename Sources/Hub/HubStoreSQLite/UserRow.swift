import Foundation
import GRDB
import HubCore
import HubStore
import Signalling

/// A user as a row of the table `user`.
struct UserRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "user"
  static let enrolmentKeyKind = "enrolmentKey"

  var id: String
  var title: String
  var titleKey: String
  var role: String
  var kind: String
  /// A JSON array of names.
  var groups: String
  var credentialKind: String
  var credential: String
  var createdAt: Int64
  var credentialGeneration: Int64
  var isAdministrator: Bool
  var isDisabled: Bool

  init(_ record: UserRecord) throws {
    id = record.id
    title = record.title
    titleKey = UserRecord.titleKey(record.title)
    role = record.role.rawValue
    kind = record.kind.rawValue
    groups = String(decoding: try JSONEncoder().encode(record.groups.sorted()), as: UTF8.self)
    switch record.credential {
    case .password(let text): (credentialKind, credential) = ("password", text)
    case .enrolmentKey(let text): (credentialKind, credential) = (Self.enrolmentKeyKind, text)
    }
    createdAt = record.createdAt
    credentialGeneration = record.credentialGeneration
    (isAdministrator, isDisabled) = (record.isAdministrator, record.isDisabled)
  }

  /// Has a reader of its own: each login reads one, and a decoder takes longer than SQLite does.
  init(row: Row) {
    id = row["id"]
    title = row["title"]
    titleKey = row["titleKey"]
    role = row["role"]
    kind = row["kind"]
    groups = row["groups"]
    credentialKind = row["credentialKind"]
    credential = row["credential"]
    createdAt = row["createdAt"]
    credentialGeneration = row["credentialGeneration"]
    isAdministrator = row["isAdministrator"]
    isDisabled = row["isDisabled"]
  }

  func record() throws -> UserRecord {
    guard let role = UserRole(rawValue: role), let kind = UserKind(rawValue: kind) else {
      throw RowError.unknownWord(column: "role or kind", userID: id)
    }
    let groups = try JSONDecoder().decode(Set<String>.self, from: Data(groups.utf8))
    return UserRecord(
      id: id, title: title, role: role, kind: kind, groups: groups, credential: try storedCredential(),
      createdAt: createdAt, credentialGeneration: credentialGeneration, isAdministrator: isAdministrator,
      isDisabled: isDisabled)
  }

  func hasCredential(of other: UserRow) -> Bool {
    credentialKind == other.credentialKind && credential == other.credential
  }

  private func storedCredential() throws -> Credential {
    switch credentialKind {
    case "password": .password(credential)
    case Self.enrolmentKeyKind: .enrolmentKey(credential)
    default: throw RowError.unknownWord(column: "credentialKind", userID: id)
    }
  }
}

/// A key as a row of the table `signingKey`.
struct SigningKeyRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "signingKey"

  var keyID: String
  var privateKey: Data
  var createdAt: Int64

  init(_ record: SigningKeyRecord) {
    keyID = record.keyID
    privateKey = Data(record.privateKey)
    createdAt = record.createdAt
  }

  var record: SigningKeyRecord {
    SigningKeyRecord(keyID: keyID, privateKey: Array(privateKey), createdAt: createdAt)
  }
}

/// A row that this version of the hub cannot read.
enum RowError: Error, CustomStringConvertible {
  case unknownWord(column: String, userID: String)

  var description: String {
    switch self {
    case .unknownWord(let column, let userID): "user \(userID) has an unknown \(column); a newer hub wrote it"
    }
  }
}
