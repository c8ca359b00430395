public import HubCore
public import Signalling

/// A user or device as stored.
public struct UserRecord: Sendable, Equatable {
  public var id: String
  public var title: String
  public var role: UserRole
  public var kind: UserKind
  public var groups: Set<String>
  public var credential: Credential
  /// Milliseconds since 1970.
  public var createdAt: Int64
  /// Which of the account's credentials this one is: tokens that were given for an earlier one are refused.
  public var credentialGeneration: Int64
  /// An operator who administrates all accounts.
  public var isAdministrator: Bool
  /// Neither its credential nor its tokens are taken.
  public var isDisabled: Bool

  public init(
    id: String, title: String, role: UserRole, kind: UserKind, groups: Set<String>, credential: Credential,
    createdAt: Int64, credentialGeneration: Int64 = AccessClaims.firstGeneration, isAdministrator: Bool = false,
    isDisabled: Bool = false
  ) {
    self.id = id
    self.title = title
    self.role = role
    self.kind = kind
    self.groups = groups
    self.credential = credential
    self.createdAt = createdAt
    self.credentialGeneration = credentialGeneration
    self.isAdministrator = isAdministrator
    self.isDisabled = isDisabled
  }

  public var principal: Principal {
    Principal(userID: id, userTitle: title, role: role, kind: kind, groups: groups)
  }

  /// What titles are compared by.
  public static func titleKey(_ title: String) -> String { Title.key(of: title) }
}

/// How a user proves who it is. Neither form reveals the secret.
public enum Credential: Sendable, Equatable {
  /// In ``PasswordHash``'s text form, or in ``OneTimeCode``'s until the person has chosen one.
  case password(String)
  /// In ``EnrolmentKey``'s hashed form.
  case enrolmentKey(String)
}
