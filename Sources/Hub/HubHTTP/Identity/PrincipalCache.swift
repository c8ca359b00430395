internal import HubCore
internal import HubStore
internal import Signalling
internal import Synchronization

/// Recently used accounts, so that a heartbeat does not read the database; changes show within ``lifetime``.
final class PrincipalCache: Sendable {
  private struct Entry {
    var principal: Principal?
    var readAt: Instant
  }

  static let anonymousPrefix = "anonymous-"

  private let store: any HubStore
  private let lifetime: Duration = .seconds(10)
  private let capacity = 100_000
  private let entries = Mutex<[String: Entry]>([:])

  init(store: any HubStore) {
    self.store = store
  }

  /// The account behind a token, or nil when it is gone.
  func principal(for claims: AccessClaims) async throws -> Principal? {
    claims.role == .anonymous ? anonymous(claims) : try await principal(userID: claims.sub)
  }

  private func principal(userID: String) async throws -> Principal? {
    let now = Instant.now
    if let entry = entries.withLock({ $0[userID] }), entry.readAt.duration(to: now) < lifetime {
      return entry.principal
    }
    let principal = try await store.user(id: userID)?.principal
    entries.withLock { entries in
      if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
      entries[userID] = Entry(principal: principal, readAt: now)
    }
    return principal
  }

  /// Whether a user with an open event stream still has an account; anonymous ones have none to lose.
  func isKnown(_ userID: String) async throws -> Bool {
    guard !userID.hasPrefix(Self.anonymousPrefix) else { return true }
    return try await principal(userID: userID) != nil
  }

  private func anonymous(_ claims: AccessClaims) -> Principal? {
    guard let title = claims.title, let groups = claims.groups else { return nil }
    return Principal(userID: claims.sub, userTitle: title, role: .anonymous, kind: .person, groups: Set(groups))
  }
}
