import Foundation
import GRDB
import HubStore
import Signalling

/// A call of one of its parties as a row of the table `call`.
struct CallRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "call"

  var ownerID: String
  var sessionID: String
  var endedAt: Int64
  var isMissed: Bool
  /// The whole record as JSON.
  var record: String

  init(_ record: CallRecord) throws {
    (ownerID, sessionID, endedAt) = (record.ownerID, record.call.sessionID.text, record.call.endedAt)
    isMissed = record.isMissed
    self.record = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
  }

  func decoded() throws -> CallRecord { try JSONDecoder().decode(CallRecord.self, from: Data(record.utf8)) }
}

/// Until when a user has seen calls: a row of the table `callsSeen`.
struct CallsSeenRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "callsSeen"

  var userID: String
  var until: Int64
}
