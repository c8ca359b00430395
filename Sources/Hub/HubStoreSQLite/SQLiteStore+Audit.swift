internal import GRDB
public import HubStore

extension SQLiteStore {
  public func appendAudit(_ records: [AuditRecord], keeping bounds: AuditBounds) async throws {
    let rows = try records.map { try AuditRow($0) }
    try await access.write { database in
      for row in rows { try row.insert(database) }
      try AuditRow.filter(Column("at") < bounds.oldest).deleteAll(database)
      for isRoutine in Set(rows.map(\.isRoutine)) {
        let kept = AuditRow.filter(Column("isRoutine") == isRoutine).order(Column("number").desc)
        let last = try kept.select(Column("number"), as: Int64.self).limit(1, offset: bounds.maximumOfEach)
          .fetchOne(database)
        guard let last else { continue }
        try AuditRow.filter(Column("isRoutine") == isRoutine && Column("number") <= last).deleteAll(database)
      }
    }
  }

  public func audit(before: String?, limit: Int) async throws -> [AuditRecord] {
    guard let number = before.map({ Int64($0) }) ?? .max else { return [] }
    return try await access.reader.read { database in
      try AuditRow.filter(Column("number") < number).order(Column("number").desc).limit(limit).fetchAll(database)
        .map(\.record)
    }
  }
}
