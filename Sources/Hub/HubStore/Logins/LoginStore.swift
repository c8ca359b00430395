/// Logins, and which have ended.
public protocol LoginStore: Sendable {
  /// The login of that id, unless it has ended or expired.
  func login(id: String) async throws -> LoginRecord?
  /// The logins of a user that have neither ended nor expired, in any order.
  func logins(ofUser userID: String) async throws -> [LoginRecord]
  /// Inserts a login, or replaces the earlier one, if it has not changed since.
  ///
  /// - Parameter before: as it was read; nil when there was none.
  func putLogin(_ login: LoginRecord, replacing before: LoginRecord?) async throws -> LoginChange
  /// Forgets a login and remembers for ``LoginMemory/length`` that it has ended, also one that was never put; returns whether
  /// it was there.
  ///
  /// - Parameter time: in milliseconds since 1970; a store of several nodes takes its own instead.
  func endLogin(_ id: String, of userID: String, at time: Int64) async throws -> Bool
  /// The logins that ended since a time, in milliseconds since 1970; cheap to ask for.
  func endedLogins(since time: Int64) async throws -> [EndedLogin]
}

/// The outcome of a change of a login.
public enum LoginChange: Sendable, Equatable {
  case done
  /// Another was quicker.
  case changed
  /// It has ended.
  case ended
}

/// A login whose tokens are refused, though they have not run out.
public struct EndedLogin: Sendable, Hashable {
  public var id: String
  /// Milliseconds since 1970, by the store's clock.
  public var endedAt: Int64

  public init(id: String, endedAt: Int64) {
    self.id = id
    self.endedAt = endedAt
  }
}

/// For how long logins that have ended are remembered.
public enum LoginMemory {
  /// In milliseconds: longer than any token of theirs can be used (`access_token_lifetime`, 30 days at most) or renewed
  /// (12 hours later).
  public static let length: Int64 = 31 * 86_400_000
  /// In milliseconds: for how long the token of a login that has a push subscription can be renewed, since a page may be closed
  /// for weeks until a call comes.
  public static let whileRinging: Int64 = 30 * 86_400_000
}
