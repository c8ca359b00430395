/// `GET /v1/logins`: the user's logins, the most recently used first.
public struct LoginList: Codable, Sendable {
  public var items: [LoginEntry]

  public init(items: [LoginEntry]) { self.items = items }
}

/// One login that can still be used.
public struct LoginEntry: Codable, Sendable, Equatable {
  /// For `DELETE /v1/logins/{id}`.
  public var id: String
  /// Milliseconds since 1970.
  public var startedAt: Int64
  /// When its token was given or renewed last, in milliseconds since 1970.
  public var renewedAt: Int64
  /// From where, then.
  public var address: String
  /// What the program there called itself (`User-Agent`).
  public var client: String
  /// Whether it is the asker's own.
  public var isCurrent: Bool

  public init(id: String, startedAt: Int64, renewedAt: Int64, address: String, client: String, isCurrent: Bool) {
    self.id = id
    self.startedAt = startedAt
    self.renewedAt = renewedAt
    self.address = address
    self.client = client
    self.isCurrent = isCurrent
  }
}
