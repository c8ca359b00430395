/// Push subscriptions, and the key by which push services know the hub.
public protocol PushStore: Sendable {
  /// Inserts a push subscription; one of the same endpoint goes, of whichever user, and of the user's the oldest beyond
  /// ``PushSubscriptionRecord/maximumPerUser``.
  ///
  /// - Returns: false, without a change, where its login has ended or was never put.
  func putSubscription(_ subscription: PushSubscriptionRecord) async throws -> Bool
  /// Those of a user whose logins have neither ended nor expired, the oldest first.
  func subscriptions(ofUser userID: String) async throws -> [PushSubscriptionRecord]
  /// Of all users; those whose logins have expired may still count.
  func subscriptionCount() async throws -> Int
  /// Whether the user had such a subscription.
  @discardableResult func removeSubscription(id: String, ofUser userID: String) async throws -> Bool
  /// The private key by which push services know the hub, 32 octets; nil while there is none.
  func pushKey() async throws -> [UInt8]?
  /// Keeps a key if there is none yet, in one step, since several nodes may start at once; returns the one that is kept.
  func insertFirstPushKey(_ key: [UInt8]) async throws -> [UInt8]
}
