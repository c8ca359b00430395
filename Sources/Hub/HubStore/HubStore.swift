public import HubCore
public import Signalling

/// What the hub remembers between runs: users, devices, signing keys and calls that are over.
///
/// Presence, sessions and events lie elsewhere. Every implementation passes the suite in `HubStoreConformance`.
/// Several processes may use one store at the same time (the hub and its commands).
public protocol HubStore: Sendable {
  func user(id: String) async throws -> UserRecord?
  /// Titles are compared by ``UserRecord/titleKey(_:)``; where several accounts of earlier versions have one key, each
  /// is found by its own spelling.
  func user(title: String) async throws -> UserRecord?
  /// The account that a key was made for; `hashed` is ``EnrolmentKey/hashed``.
  func user(enrolmentKey hashed: String) async throws -> UserRecord?
  /// All users, by title.
  func users() async throws -> [UserRecord]
  /// Throws ``HubStoreError/titleTaken`` when there is a user of that title.
  func insert(_ user: UserRecord) async throws
  /// Replaces the user of the same id; throws ``HubStoreError/unknownUser`` or ``HubStoreError/titleTaken``.
  ///
  /// The store alone counts ``UserRecord/credentialGeneration``: it goes up by one when the credential is another than
  /// before, whatever `user` says of it.
  func update(_ user: UserRecord) async throws
  /// As ``update(_:)``, but only while the user is still as it was read; returns whether it was.
  func update(_ user: UserRecord, ifStill before: UserRecord) async throws -> Bool
  /// Whether there was such a user.
  @discardableResult func removeUser(id: String) async throws -> Bool
  /// Notes when users were online. No change of an account: ``accountRevision()`` stays.
  func noteSeen(_ seen: [SeenRecord]) async throws
  /// What was noted last of users, by their ids; those of whom nothing was are left out.
  func seen(_ userIDs: [String]) async throws -> [String: SeenRecord]
  /// A number that every change of users makes another one, also a change by another process; cheap to ask for.
  func accountRevision() async throws -> Int64
  /// Whether ``accountChanges()`` reports changes; where it does not, callers have to poll.
  var notifiesOfAccountChanges: Bool { get }
  /// Comes soon after each change that may be one of ``accountRevision()``.
  func accountChanges() -> AsyncStream<Void>
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
  /// Keeps the records of a call, where they are not there yet; of a user's the oldest beyond
  /// ``CallRecord/maximumPerUser`` go.
  ///
  /// - Returns: the owners of those that are new.
  func insertCalls(_ records: [CallRecord]) async throws -> Set<String>
  /// The records of a user, or of all (nil), the newest first; a call of two parties is there twice then.
  ///
  /// Leaves out those that a newer version has written and this one cannot read.
  ///
  /// - Parameter place: only what comes before it; nil: from the newest on.
  func calls(ofUser userID: String?, before place: CallPlace?, limit: Int) async throws -> [CallRecord]
  /// Missed calls that ended after what the user has seen.
  func missedCallCount(ofUser userID: String) async throws -> Int
  /// Notes that the user has seen the calls that ended until a time, in milliseconds since 1970; it never goes back.
  func noteCallsSeen(until time: Int64, byUser userID: String) async throws
  /// Forgets calls that ended before a time, and the oldest beyond a number.
  func trimCalls(endedBefore time: Int64, maximum: Int) async throws
  /// Keeps a new invitation; where `maximum` are kept, the one goes that ended first.
  ///
  /// - Returns: false, without a change, where as many have not ended at `now` (milliseconds since 1970).
  func insertInvitation(_ invitation: InvitationRecord, now: Int64, maximum: Int) async throws -> Bool
  /// Replaces an invitation, if it has not changed since it was read; returns whether it had not.
  func updateInvitation(_ invitation: InvitationRecord, replacing before: InvitationRecord) async throws -> Bool
  func invitation(id: String) async throws -> InvitationRecord?
  /// The invitation that a code was made for; `hashed` is ``InvitationCode/hashed``.
  func invitation(code hashed: String) async throws -> InvitationRecord?
  /// All that are kept, in any order.
  func invitations() async throws -> [InvitationRecord]
  /// Adds entries to the audit log, in their order, and forgets what is beyond the bounds. The store chooses their ids.
  func appendAudit(_ records: [AuditRecord], keeping bounds: AuditBounds) async throws
  /// Entries of the audit log that are older than the one of id `before` (nil: all), the newest first; none where that is
  /// no id of the store's.
  func audit(before: String?, limit: Int) async throws -> [AuditRecord]
  /// Oldest first; the newest signs, the others still verify.
  func signingKeys() async throws -> [SigningKeyRecord]
  func insert(_ key: SigningKeyRecord) async throws
  /// Inserts a key if there is none yet, in one step, since several nodes may start at once; returns all keys.
  func insertFirst(_ key: SigningKeyRecord) async throws -> [SigningKeyRecord]
  /// Whether accounts may be there whose titles have one key, from versions that compared titles otherwise.
  var mayHoldLookAlikes: Bool { get }
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

/// What a store refuses; whatever else it throws is a failure of the store itself.
public enum HubStoreError: Error, Equatable {
  case titleTaken
  case unknownUser
  /// Nothing can be changed: there is no room on the disk of the store, or it is mounted read-only.
  case diskFull
  /// The server of the store cannot be reached at the moment; as text for people.
  case unavailable(reason: String)
}

extension HubStoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .titleTaken: "the title is taken"
    case .unknownUser: "there is no such user"
    case .diskFull: "the disk of the database is full or read-only"
    case .unavailable(let reason): reason
    }
  }
}

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

/// A key that signs tokens.
public struct SigningKeyRecord: Sendable, Equatable {
  public var keyID: String
  /// Raw Ed25519 private key, 32 bytes.
  public var privateKey: [UInt8]
  public var createdAt: Int64

  public init(keyID: String, privateKey: [UInt8], createdAt: Int64) {
    self.keyID = keyID
    self.privateKey = privateKey
    self.createdAt = createdAt
  }
}
