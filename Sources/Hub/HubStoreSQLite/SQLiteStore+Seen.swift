internal import GRDB
public import HubStore

extension SQLiteStore {
  public func noteSeen(_ seen: [SeenRecord]) async throws {
    let rows = seen.map { SeenRow($0) }
    try await access.write { database in
      // What was removed meanwhile stays so.
      for row in rows where try UserRow.exists(database, key: row.userID) { try row.save(database) }
    }
  }

  public func seen(_ userIDs: [String]) async throws -> [String: SeenRecord] {
    var found: [String: SeenRecord] = [:]
    // A statement of SQLite's has a bounded number of arguments.
    for start in stride(from: 0, to: userIDs.count, by: Self.portion) {
      let portion = Array(userIDs[start..<min(start + Self.portion, userIDs.count)])
      let rows = try await access.reader.read { try SeenRow.fetchAll($0, keys: portion) }
      for row in rows { found[row.userID] = row.record }
    }
    return found
  }

  public func noteReports(_ reports: [ReportRecord]) async throws {
    let rows = reports.map { ReportRow($0) }
    try await access.write { database in
      for row in rows where try UserRow.exists(database, key: row.userID) { try row.save(database) }
    }
  }

  public func reports(_ userIDs: [String]) async throws -> [String: ReportRecord] {
    var found: [String: ReportRecord] = [:]
    for start in stride(from: 0, to: userIDs.count, by: Self.portion) {
      let portion = Array(userIDs[start..<min(start + Self.portion, userIDs.count)])
      let rows = try await access.reader.read { try ReportRow.fetchAll($0, keys: portion) }
      for row in rows { found[row.userID] = row.report.record(of: row.userID) }
    }
    return found
  }

  private static let portion = 500
}

/// When a user was online last, as a row of the table `seen`.
struct SeenRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "seen"

  var userID: String
  var at: Int64
  var client: String

  init(_ record: SeenRecord) { (userID, at, client) = (record.userID, record.at, record.client) }

  var record: SeenRecord { SeenRecord(userID: userID, at: at, client: client) }
}

/// What a device reported last, as a row of the table `deviceReport`: JSON, since nothing is searched in it.
struct ReportRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "deviceReport"

  var userID: String
  var report: StoredReport

  init(_ record: ReportRecord) { (userID, report) = (record.userID, StoredReport(record)) }
}
