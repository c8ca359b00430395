internal import Foundation
internal import GRDB
public import HubStore

extension SQLiteStore {
  public func login(id: String) async throws -> LoginRecord? {
    let now = Self.now
    return try await access.reader.read {
      try LoginRow.filter(key: id).filter(Column("expiresAt") > now).fetchOne($0)?.record
    }
  }

  public func logins(ofUser userID: String) async throws -> [LoginRecord] {
    let now = Self.now
    return try await access.reader.read { database in
      try LoginRow.filter(Column("userID") == userID && Column("expiresAt") > now).fetchAll(database).map(\.record)
    }
  }

  public func putLogin(_ login: LoginRecord, replacing before: LoginRecord?) async throws -> LoginChange {
    let (row, former) = (LoginRow(login), before.map { LoginRow($0) })
    let now = Self.now
    return try await access.write { database in
      if try EndedLoginRow.exists(database, key: row.id) { return .ended }
      try LoginRow.filter(Column("expiresAt") <= now).deleteAll(database)
      try database.execute(sql: "DELETE FROM pushSubscription WHERE loginID NOT IN (SELECT id FROM login)")
      guard try LoginRow.fetchOne(database, key: row.id) == former else { return .changed }
      try row.save(database)
      return .done
    }
  }

  @discardableResult
  public func endLogin(_ id: String, of userID: String, at time: Int64) async throws -> Bool {
    try await access.write { database in
      try EndedLoginRow.filter(Column("endedAt") < time - LoginMemory.length).deleteAll(database)
      try EndedLoginRow(id: id, endedAt: time).insert(database)
      try PushSubscriptionRow.filter(Column("loginID") == id).deleteAll(database)
      return try LoginRow.deleteOne(database, key: id)
    }
  }

  public func endedLogins(since time: Int64) async throws -> [EndedLogin] {
    try await access.reader.read { database in
      try EndedLoginRow.filter(Column("endedAt") >= time).fetchAll(database)
        .map { EndedLogin(id: $0.id, endedAt: $0.endedAt) }
    }
  }

  /// Milliseconds since 1970.
  static var now: Int64 { Int64(exactly: (Date().timeIntervalSince1970 * 1_000).rounded()) ?? 0 }
}
