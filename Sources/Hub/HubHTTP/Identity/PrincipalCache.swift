internal import HubCore
internal import HubStore
internal import Signalling
internal import Locking

/// Recently used accounts, so that a heartbeat does not read the database.
///
/// ``AccountWatch`` has it forget them when accounts change; should that fail, changes show within ``lifetime``.
final class PrincipalCache: Sendable {
  private struct Entry {
    var account: UserRecord?
    var readAt: Instant
  }

  static let anonymousPrefix = "anonymous-"

  private let store: any HubStore
  private let allowsAnonymous: Bool
  private let lifetime: Duration = .seconds(10)
  private let capacity = 100_000
  private let entries = Mutex<[String: Entry]>([:])

  init(store: any HubStore, allowsAnonymous: Bool) {
    self.store = store
    self.allowsAnonymous = allowsAnonymous
  }

  /// Who a token stands for; nil when the account is gone or has another credential than the token was given for, and
  /// for anonymous users where there are none any more.
  func principal(for claims: AccessClaims) async throws -> Principal? {
    guard claims.role != .anonymous else { return allowsAnonymous ? anonymous(claims) : nil }
    guard let account = try await account(claims.sub) else { return nil }
    return account.credentialGeneration == claims.generation ? account.principal : nil
  }

  func forgetAll() {
    entries.withLock { $0.removeAll(keepingCapacity: true) }
  }

  private func account(_ userID: String) async throws -> UserRecord? {
    let now = Instant.now
    if let entry = entries.withLock({ $0[userID] }), entry.readAt.duration(to: now) < lifetime {
      return entry.account
    }
    let account = try await store.user(id: userID)
    entries.withLock { entries in
      if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
      entries[userID] = Entry(account: account, readAt: now)
    }
    return account
  }

  private func anonymous(_ claims: AccessClaims) -> Principal? {
    guard let title = claims.title, let groups = claims.groups else { return nil }
    return Principal(userID: claims.sub, userTitle: title, role: .anonymous, kind: .person, groups: Set(groups))
  }
}
