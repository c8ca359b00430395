internal import GRDB
public import HubStore
internal import Signalling

extension SQLiteStore {
  public func insertCalls(_ records: [CallRecord]) async throws -> Set<String> {
    let rows = try records.map { try CallRow($0) }
    return try await access.write { database in
      var owners: Set<String> = []
      for row in rows {
        guard try !CallRow.exists(database, key: ["ownerID": row.ownerID, "sessionID": row.sessionID]) else { continue }
        try row.insert(database)
        owners.insert(row.ownerID)
        try database.execute(
          sql: """
            DELETE FROM call WHERE rowid IN
            (SELECT rowid FROM call WHERE ownerID = ? ORDER BY endedAt DESC, sessionID DESC LIMIT -1 OFFSET ?)
            """, arguments: [row.ownerID, CallRecord.maximumPerUser])
      }
      return owners
    }
  }

  public func calls(ofUser userID: String?, before place: CallPlace?, limit: Int) async throws -> [CallRecord] {
    let rows = try await access.reader.read { database in
      var request = CallRow.order(Column("endedAt").desc, Column("sessionID").desc, Column("ownerID").desc)
        .limit(limit)
      if let userID { request = request.filter(Column("ownerID") == userID) }
      if let place {
        request = request.filter(
          sql: "(endedAt, sessionID) < (?, ?)", arguments: [place.endedAt, place.sessionID.text])
      }
      return try request.fetchAll(database)
    }
    return rows.compactMap { try? $0.decoded() }
  }

  public func missedCallCount(ofUser userID: String) async throws -> Int {
    try await access.reader.read { database in
      let seen = try CallsSeenRow.fetchOne(database, key: userID)?.until ?? 0
      return try CallRow.filter(Column("ownerID") == userID && Column("endedAt") > seen && Column("isMissed"))
        .fetchCount(database)
    }
  }

  public func noteCallsSeen(until time: Int64, byUser userID: String) async throws {
    try await access.write { database in
      let seen = try CallsSeenRow.fetchOne(database, key: userID)?.until ?? 0
      if time > seen { try CallsSeenRow(userID: userID, until: time).save(database) }
    }
  }

  public func trimCalls(endedBefore time: Int64, maximum: Int) async throws {
    try await access.write { database in
      try CallRow.filter(Column("endedAt") < time).deleteAll(database)
      try database.execute(
        sql: """
          DELETE FROM call WHERE rowid IN
          (SELECT rowid FROM call ORDER BY endedAt DESC, sessionID DESC LIMIT -1 OFFSET ?)
          """, arguments: [maximum])
    }
  }
}
