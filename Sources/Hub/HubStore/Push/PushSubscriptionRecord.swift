/// A browser that is rung by push messages, as stored.
public struct PushSubscriptionRecord: Sendable, Equatable, Codable {
  /// Further ones of a user take the place of the oldest.
  public static let maximumPerUser = 10

  public var id: String
  public var userID: String
  /// That made it, and ends with it.
  public var loginID: String
  /// The account's credential then: with another one it is void.
  public var credentialGeneration: Int64
  /// A URL, secret: those who know it can ring the browser. One browser has one.
  public var endpoint: String
  /// An uncompressed point on P-256, 65 octets.
  public var publicKey: [UInt8]
  /// The secret of 16 octets by which the browser knows messages as the hub's.
  public var authentication: [UInt8]
  /// The page's language tag.
  public var language: String?
  /// What the program calls itself.
  public var client: String
  /// Milliseconds since 1970.
  public var createdAt: Int64

  public init(
    id: String, userID: String, loginID: String, credentialGeneration: Int64, endpoint: String, publicKey: [UInt8],
    authentication: [UInt8], language: String?, client: String, createdAt: Int64
  ) {
    (self.id, self.userID, self.loginID) = (id, userID, loginID)
    self.credentialGeneration = credentialGeneration
    (self.endpoint, self.publicKey, self.authentication) = (endpoint, publicKey, authentication)
    (self.language, self.client, self.createdAt) = (language, client, createdAt)
  }
}
