import Foundation
import GRDB
import HubStore

/// A push subscription as a row of the table `pushSubscription`.
struct PushSubscriptionRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pushSubscription"

  var id: String
  var userID: String
  var loginID: String
  var credentialGeneration: Int64
  var endpoint: String
  var publicKey: Data
  var authentication: Data
  var language: String?
  var client: String
  var createdAt: Int64

  init(_ record: PushSubscriptionRecord) {
    (id, userID, loginID) = (record.id, record.userID, record.loginID)
    credentialGeneration = record.credentialGeneration
    (endpoint, publicKey, authentication) = (record.endpoint, Data(record.publicKey), Data(record.authentication))
    (language, client, createdAt) = (record.language, record.client, record.createdAt)
  }

  var record: PushSubscriptionRecord {
    PushSubscriptionRecord(
      id: id, userID: userID, loginID: loginID, credentialGeneration: credentialGeneration, endpoint: endpoint,
      publicKey: Array(publicKey), authentication: Array(authentication), language: language, client: client,
      createdAt: createdAt)
  }
}

/// The one row of the table `pushKey`.
struct PushKeyRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "pushKey"

  var privateKey: Data
}
