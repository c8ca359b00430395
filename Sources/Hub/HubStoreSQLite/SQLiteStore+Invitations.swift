internal import Foundation
internal import GRDB
public import HubStore

extension SQLiteStore {
  public func insertInvitation(_ invitation: InvitationRecord, now: Int64, maximum: Int) async throws -> Bool {
    let row = try InvitationRow(invitation)
    return try await access.write { database in
      let surplus = try InvitationRow.fetchCount(database) - maximum + 1
      if surplus > 0 {
        let ended = try InvitationRow.filter(Column("endsAt") <= now).order(Column("endsAt")).limit(surplus)
          .fetchAll(database)
        guard ended.count == surplus else { return false }
        for old in ended { try old.delete(database) }
      }
      try row.insert(database)
      return true
    }
  }

  public func updateInvitation(
    _ invitation: InvitationRecord, replacing before: InvitationRecord
  ) async throws -> Bool {
    let row = try InvitationRow(invitation)
    return try await access.write { database in
      guard try InvitationRow.fetchOne(database, key: row.id)?.invitation() == before else { return false }
      try row.update(database)
      return true
    }
  }

  public func invitation(id: String) async throws -> InvitationRecord? {
    try await access.reader.read { try InvitationRow.fetchOne($0, key: id)?.invitation() }
  }

  public func invitation(code hashed: String) async throws -> InvitationRecord? {
    try await access.reader.read { try InvitationRow.filter(Column("code") == hashed).fetchOne($0)?.invitation() }
  }

  public func invitations() async throws -> [InvitationRecord] {
    try await access.reader.read { try InvitationRow.fetchAll($0) }.compactMap { try? $0.invitation() }
  }
}

/// An invitation as a row of the table `invitation`.
private struct InvitationRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "invitation"

  var id: String
  var code: String
  var endsAt: Int64
  /// JSON.
  var record: String

  init(_ invitation: InvitationRecord) throws {
    (id, code, endsAt) = (invitation.id, invitation.code, invitation.endsAt)
    record = String(decoding: try JSONEncoder().encode(invitation), as: UTF8.self)
  }

  func invitation() throws -> InvitationRecord {
    try JSONDecoder().decode(InvitationRecord.self, from: Data(record.utf8))
  }
}
