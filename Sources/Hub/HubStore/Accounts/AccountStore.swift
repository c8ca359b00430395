/// What a change of an account has to leave.
public enum AccountRemainder: Sendable {
  /// The owner of the store changes it, who can make an administrator at any time.
  case anything
  /// Someone is in charge afterwards (``HubCore/AccountStanding/isLastInCharge(becoming:among:)``).
  case someoneInCharge
}

/// Users and devices.
public protocol AccountStore: Sendable {
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
  ///
  /// What has to be left is decided in the same step as the change, whoever else changes accounts at the moment; throws
  /// ``HubStoreError/lastInCharge`` otherwise.
  func update(_ user: UserRecord, ifStill before: UserRecord, leaving rest: AccountRemainder) async throws -> Bool
  /// Whether there was such a user. Throws ``HubStoreError/lastInCharge`` as
  /// ``update(_:ifStill:leaving:)``.
  @discardableResult func removeUser(id: String, leaving rest: AccountRemainder) async throws -> Bool
  /// Notes when users were online. No change of an account: ``accountRevision()`` stays.
  func noteSeen(_ seen: [SeenRecord]) async throws
  /// What was noted last of users, by their ids; those of whom nothing was are left out.
  func seen(_ userIDs: [String]) async throws -> [String: SeenRecord]
  /// Keeps what devices reported last. No change of an account, either.
  func noteReports(_ reports: [ReportRecord]) async throws
  /// What devices reported last, by their ids.
  func reports(_ userIDs: [String]) async throws -> [String: ReportRecord]
  /// A number that every change of users makes another one, also a change by another process; cheap to ask for.
  func accountRevision() async throws -> Int64
  /// Whether ``accountChanges()`` reports changes; where it does not, callers have to poll.
  var notifiesOfAccountChanges: Bool { get }
  /// Comes soon after each change that may be one of ``accountRevision()``.
  func accountChanges() -> AsyncStream<Void>
  /// Whether accounts may be there whose titles have one key, from versions that compared titles otherwise.
  var mayHoldLookAlikes: Bool { get }
}

extension AccountStore {
  public func update(_ user: UserRecord, ifStill before: UserRecord) async throws -> Bool {
    try await update(user, ifStill: before, leaving: .anything)
  }

  @discardableResult
  public func removeUser(id: String) async throws -> Bool { try await removeUser(id: id, leaving: .anything) }
}
