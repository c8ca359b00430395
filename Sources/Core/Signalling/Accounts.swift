/// What an account may do, as operators administrate it.
public enum AccountRole: String, Codable, Sendable, CaseIterable {
  /// An operator who administrates all accounts, of whatever group.
  case administrator
  case `operator`
  case user
  case device
}

/// How an account proves who it is.
public enum CredentialState: String, Codable, Sendable, CaseIterable {
  case password
  /// The person has to choose a password by a one-time code first.
  case oneTimeCode = "one-time-code"
  case enrolmentKey = "enrolment-key"
}

/// One account, as who administrates it sees it.
public struct AccountEntry: Codable, Sendable, Equatable {
  public var id: String
  public var title: String
  public var kind: UserKind
  public var role: AccountRole
  public var groups: [String]
  public var isDisabled: Bool
  public var credential: CredentialState
  /// Of a one-time code, in milliseconds since 1970.
  public var credentialExpiresAt: Int64?
  /// Milliseconds since 1970.
  public var createdAt: Int64
  public var isOnline: Bool
  /// When it was online last, to within some minutes, in milliseconds since 1970; absent where it never was.
  public var lastSeen: Int64?
  /// The program that was online last, as `livesessionsd/1.2`.
  public var client: String?
  /// What a device reported last, and when, in milliseconds since 1970; absent for persons, and where none came.
  public var report: DeviceReport?
  public var reportedAt: Int64?

  public init(
    id: String, title: String, kind: UserKind, role: AccountRole, groups: [String], isDisabled: Bool,
    credential: CredentialState, credentialExpiresAt: Int64?, createdAt: Int64, isOnline: Bool, lastSeen: Int64?,
    client: String?
  ) {
    (self.id, self.title, self.kind, self.role) = (id, title, kind, role)
    (self.groups, self.isDisabled) = (groups, isDisabled)
    (self.credential, self.credentialExpiresAt, self.createdAt) = (credential, credentialExpiresAt, createdAt)
    (self.isOnline, self.lastSeen, self.client) = (isOnline, lastSeen, client)
  }
}

/// `GET /v1/accounts` and `GET /v1/devices`, by title.
public struct AccountList: Codable, Sendable {
  /// How many there are; more than ``items`` where the answer was cut off.
  public var count: Int
  public var items: [AccountEntry]
  /// Where the answer was cut off: what to ask for the rest with, as `after`.
  public var next: String?

  public init(count: Int, items: [AccountEntry], next: String? = nil) {
    self.count = count
    self.items = items
    self.next = next
  }
}

/// `POST /v1/accounts`.
public struct NewAccount: Codable, Sendable {
  public var title: String
  public var kind: UserKind
  /// Of a person; absent: a user.
  public var role: AccountRole?
  /// Absent or empty: the only group of who asks, else the group `default`.
  public var groups: [String]?
  /// Of a person; absent: the answer has a one-time code to choose one by.
  public var password: String?

  public init(
    title: String, kind: UserKind, role: AccountRole? = nil, groups: [String]? = nil, password: String? = nil
  ) {
    self.title = title
    self.kind = kind
    self.role = role
    self.groups = groups
    self.password = password
  }
}

/// An account with what it proves itself by from now on, which is shown this once.
public struct AccountGrant: Codable, Sendable {
  public var account: AccountEntry
  /// Of a device.
  public var enrolmentKey: String?
  /// Of a person, for `POST /v1/password`.
  public var code: String?

  public init(account: AccountEntry, enrolmentKey: String? = nil, code: String? = nil) {
    self.account = account
    self.enrolmentKey = enrolmentKey
    self.code = code
  }
}

/// `PATCH /v1/accounts/{id}`: what is absent stays.
public struct AccountChange: Codable, Sendable {
  public var title: String?
  public var role: AccountRole?
  public var groups: [String]?
  public var isDisabled: Bool?

  public init(title: String? = nil, role: AccountRole? = nil, groups: [String]? = nil, isDisabled: Bool? = nil) {
    self.title = title
    self.role = role
    self.groups = groups
    self.isDisabled = isDisabled
  }
}

/// `PUT /v1/password`: one's own.
public struct PasswordChange: Codable, Sendable {
  public var oldPassword: String
  public var newPassword: String

  public init(oldPassword: String, newPassword: String) {
    self.oldPassword = oldPassword
    self.newPassword = newPassword
  }
}

/// `POST /v1/password`: chooses a password by a one-time code, and logs in.
public struct PasswordChoice: Codable, Sendable {
  public var userTitle: String
  public var code: String
  public var newPassword: String

  public init(userTitle: String, code: String, newPassword: String) {
    self.userTitle = userTitle
    self.code = code
    self.newPassword = newPassword
  }
}

/// A call that is being placed or is ongoing.
public struct ActiveCall: Codable, Sendable, Equatable {
  public var sessionID: SessionID
  public var caller: SessionParty
  public var receiver: SessionParty
  /// When it was placed, in milliseconds since 1970.
  public var startedAt: Int64
  public var isAnswered: Bool

  public init(sessionID: SessionID, caller: SessionParty, receiver: SessionParty, startedAt: Int64, isAnswered: Bool) {
    self.sessionID = sessionID
    self.caller = caller
    self.receiver = receiver
    self.startedAt = startedAt
    self.isAnswered = isAnswered
  }
}

/// `GET /v1/active-calls`, the oldest first.
public struct ActiveCalls: Codable, Sendable {
  public var items: [ActiveCall]

  public init(items: [ActiveCall]) { self.items = items }
}
