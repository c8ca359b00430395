internal import HubCore
internal import HubStore
internal import Signalling
internal import SystemSupport

/// Recently used accounts, so that a heartbeat does not read the database.
///
/// ``AccountWatch`` has it forget them when accounts change, and confirms it while they do not; otherwise changes show
/// within ``lifetime``. A cached user stays so while the store cannot be reached.
final class PrincipalCache: Sendable {
  private struct Entry {
    var account: UserRecord?
    var readAt: Instant
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// All entries were right then.
    var confirmedAt: Instant?
    /// Goes up when entries are forgotten, so that what was read before is not kept afterwards.
    var generation = 0
  }

  static let anonymousPrefix = "anonymous-"

  private let store: any HubStore
  private let endedLogins: EndedLogins
  private let allowsAnonymous: Bool
  private let lifetime: Duration
  /// As many users as one node serves; about 300 bytes each.
  private let capacity = 131_072
  private let state = Mutex(State())

  /// - Parameter lifetime: how long an account is remembered without confirmation.
  init(
    store: any HubStore, allowsAnonymous: Bool, endedLogins: EndedLogins = EndedLogins(),
    lifetime: Duration = .seconds(10)
  ) {
    self.store = store
    self.endedLogins = endedLogins
    self.lifetime = lifetime
    self.allowsAnonymous = allowsAnonymous
  }

  /// Who a token stands for; nil when its login has ended, when the account is gone or has another credential than the token was given for, and
  /// for anonymous users where there are none any more.
  func principal(for claims: AccessClaims) async throws -> Principal? {
    if endedLogins.contains(claims) { return nil }
    switch claims.role {
    case .anonymous: return allowsAnonymous ? anonymous(claims) : nil
    // Read each time: what a guest may do ends at once with the invitation.
    case .guest: return try await GuestService.principal(for: claims, in: store)
    // Gets no access token.
    case .viewer: return nil
    case .operator, .user, .device: break
    }
    guard let account = try await account(claims.sub, atLeast: claims.generation), !account.isDisabled else {
      return nil
    }
    return account.credentialGeneration == claims.generation ? account.principal : nil
  }

  /// Whether tokens of the login are refused.
  func isEnded(_ loginID: String) -> Bool { endedLogins.contains(loginID) }

  /// An account as it is now; nil for one that is gone.
  func principal(ofAccount userID: String) async throws -> Principal? {
    try await account(userID, atLeast: 0)?.principal
  }

  func forgetAll() {
    state.withLock { state in
      state.entries.removeAll(keepingCapacity: true)
      state.generation += 1
    }
  }

  /// No account has changed since the last call, or since all were forgotten.
  func confirmAll() { state.withLock { $0.confirmedAt = .now } }

  /// - Parameter generation: of a credential that the hub has given a token for: what was read before is out of date.
  private func account(_ userID: String, atLeast generation: Int64) async throws -> UserRecord? {
    let now = Instant.now
    let (entry, confirmedAt, forgotten) = state.withLock { ($0.entries[userID], $0.confirmedAt, $0.generation) }
    if let entry, max(entry.readAt, confirmedAt ?? entry.readAt).duration(to: now) < lifetime,
      entry.account.map({ $0.credentialGeneration >= generation }) ?? true
    {
      return entry.account
    }
    do {
      let account = try await store.user(id: userID)
      keep(Entry(account: account, readAt: now), of: userID, if: forgotten)
      return account
    } catch HubStoreError.unavailable where entry?.account != nil {
      return entry?.account
    }
  }

  private func keep(_ entry: Entry, of userID: String, if generation: Int) {
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.entries.count >= capacity { state.entries.removeAll(keepingCapacity: true) }
      state.entries[userID] = entry
    }
  }

  private func anonymous(_ claims: AccessClaims) -> Principal? {
    guard let title = claims.title, let groups = claims.groups else { return nil }
    return Principal(userID: claims.sub, userTitle: title, role: .anonymous, kind: .person, groups: Set(groups))
  }
}
