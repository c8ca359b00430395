import Foundation
import GRDB
import HubStore
import Signalling

/// An entry of the audit log as a row of the table `audit`.
struct AuditRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "audit"

  var number: Int64?
  var at: Int64
  var isRoutine: Bool
  /// A JSON array of names.
  var groups: String
  /// The entry in JSON, but for its id.
  var entry: String

  init(_ record: AuditRecord) throws {
    (at, isRoutine) = (record.entry.at, record.isRoutine)
    groups = String(decoding: try JSONEncoder().encode(record.groups.sorted()), as: UTF8.self)
    entry = String(decoding: try JSONEncoder().encode(record.entry), as: UTF8.self)
  }

  var record: AuditRecord {
    // Without groups it is for administrators.
    let groups = (try? JSONDecoder().decode(Set<String>.self, from: Data(groups.utf8))) ?? []
    let id = "\(number ?? 0)"
    guard var entry = try? JSONDecoder().decode(AuditEntry.self, from: Data(entry.utf8)) else {
      return .unreadable(id: id, at: at, groups: groups, isRoutine: isRoutine)
    }
    entry.id = id
    return AuditRecord(entry: entry, groups: groups, isRoutine: isRoutine)
  }
}
