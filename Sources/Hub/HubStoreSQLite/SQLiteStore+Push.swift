internal import Foundation
internal import GRDB
public import HubStore

extension SQLiteStore {
  public func putSubscription(_ subscription: PushSubscriptionRecord) async throws -> Bool {
    let row = PushSubscriptionRow(subscription)
    let now = Self.now
    return try await access.write { database in
      guard try LoginRow.filter(key: row.loginID).filter(Column("expiresAt") > now).fetchCount(database) > 0 else {
        return false
      }
      try PushSubscriptionRow.filter(Column("endpoint") == row.endpoint).deleteAll(database)
      let others = try Self.rows(ofUser: row.userID).fetchAll(database)
      for old in others.dropLast(PushSubscriptionRecord.maximumPerUser - 1) { try old.delete(database) }
      try row.insert(database)
      return true
    }
  }

  public func subscriptions(ofUser userID: String) async throws -> [PushSubscriptionRecord] {
    let now = Self.now
    return try await access.reader.read { database in
      let logins = Set(
        try LoginRow.filter(Column("userID") == userID && Column("expiresAt") > now).fetchAll(database).map(\.id))
      return try Self.rows(ofUser: userID).fetchAll(database).filter { logins.contains($0.loginID) }.map(\.record)
    }
  }

  public func subscriptionCount() async throws -> Int {
    try await access.reader.read { try PushSubscriptionRow.fetchCount($0) }
  }

  @discardableResult
  public func removeSubscription(id: String, ofUser userID: String) async throws -> Bool {
    try await access.write { database in
      try PushSubscriptionRow.filter(key: id).filter(Column("userID") == userID).deleteAll(database) > 0
    }
  }

  public func pushKey() async throws -> [UInt8]? {
    try await access.reader.read { try PushKeyRow.fetchOne($0).map { Array($0.privateKey) } }
  }

  public func insertFirstPushKey(_ key: [UInt8]) async throws -> [UInt8] {
    try await access.write { database in
      if let kept = try PushKeyRow.fetchOne(database) { return Array(kept.privateKey) }
      try PushKeyRow(privateKey: Data(key)).insert(database)
      return key
    }
  }

  /// The oldest first.
  private static func rows(ofUser userID: String) -> QueryInterfaceRequest<PushSubscriptionRow> {
    PushSubscriptionRow.filter(Column("userID") == userID).order(Column("createdAt"), Column("id"))
  }
}
