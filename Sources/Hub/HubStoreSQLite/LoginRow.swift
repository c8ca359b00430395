import GRDB
import HubStore

/// A login as a row of the table `login`.
struct LoginRow: Codable, FetchableRecord, PersistableRecord, Equatable {
  static let databaseTableName = "login"

  var id: String
  var userID: String
  var number: Int64
  var startedAt: Int64
  var renewedAt: Int64
  var expiresAt: Int64
  var address: String
  var client: String
  var repetitions: Int64

  init(_ record: LoginRecord) {
    (id, userID, number) = (record.id, record.userID, record.number)
    (startedAt, renewedAt, expiresAt) = (record.startedAt, record.renewedAt, record.expiresAt)
    (address, client) = (record.origin.address, record.origin.client)
    repetitions = record.repetitions
  }

  var record: LoginRecord {
    LoginRecord(
      id: id, userID: userID, number: number, startedAt: startedAt, renewedAt: renewedAt, expiresAt: expiresAt,
      origin: LoginRecord.Origin(address: address, client: client), repetitions: repetitions)
  }
}

/// A login that has ended as a row of the table `endedLogin`.
struct EndedLoginRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "endedLogin"
  static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore, update: .abort)

  var id: String
  var endedAt: Int64
}
