/// Begins, renews and ends logins in a store.
public struct Logins: Sendable {
  /// Further ones end those whose tokens were renewed the longest ago.
  public static let maximumPerUser = 32
  /// How often a change is tried again because another was quicker.
  private static let attempts = 20

  private let store: any HubStore

  public init(store: any HubStore) {
    self.store = store
  }

  public func begin(_ login: LoginRecord) async throws {
    let others = try await store.logins(ofUser: login.userID).sorted { $0.renewedAt < $1.renewedAt }
    for other in others.dropLast(Self.maximumPerUser - 1) {
      try await end(other.id, of: other.userID, at: login.startedAt)
    }
    _ = try await store.putLogin(login, replacing: nil)
  }

  /// Renews by the token of a number; a login that is `.reused` has to be ended by the caller.
  ///
  /// - Parameters:
  ///   - first: the login according to the token, where the store does not know it yet: that of a device, of an
  ///     anonymous user, or of an earlier version.
  public func renew(
    _ first: LoginRecord, number: Int64, now: Int64, expiresAt: Int64
  ) async throws -> LoginRenewalOutcome {
    for _ in 0..<Self.attempts {
      let stored = try await store.login(id: first.id)
      switch (stored ?? first).renewal(number: number, from: first.origin, now: now, expiresAt: expiresAt) {
      case .reused: return .reused
      case .next(let next), .repeated(let next):
        switch try await store.putLogin(next, replacing: stored) {
        case .done: return .renewed(number: next.number)
        case .changed: continue
        case .ended: return .ended
        }
      }
    }
    throw HubStoreError.unavailable(reason: "others renew the login \(first.id) all the time")
  }

  /// Lets a login last longer; nothing happens where the store knows none.
  ///
  /// - Parameter end: in milliseconds since 1970.
  public func extend(_ id: String, until end: Int64) async throws {
    for _ in 0..<Self.attempts {
      guard let stored = try await store.login(id: id), stored.expiresAt < end else { return }
      var login = stored
      login.expiresAt = end
      guard try await store.putLogin(login, replacing: stored) == .changed else { return }
    }
    throw HubStoreError.unavailable(reason: "others renew the login \(id) all the time")
  }

  /// Ends a login; returns whether the store knew it. Its tokens end in any case.
  @discardableResult
  public func end(_ id: String, of userID: String, at time: Int64) async throws -> Bool {
    try await store.endLogin(id, of: userID, at: time)
  }

  /// Ends all logins of a user but one; returns which.
  public func endAll(of userID: String, but kept: String? = nil, at time: Int64) async throws -> [String] {
    let ids = try await store.logins(ofUser: userID).map(\.id).filter { $0 != kept }
    for id in ids { try await end(id, of: userID, at: time) }
    return ids
  }
}

/// How a renewal went.
public enum LoginRenewalOutcome: Sendable, Equatable {
  case renewed(number: Int64)
  case ended
  case reused
}
