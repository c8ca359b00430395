internal import HubCore
internal import HubStore
internal import SystemSupport

/// The logins whose tokens this node refuses, though they have not run out; read from the store by ``AccountWatch``.
final class EndedLogins: Sendable {
  /// When each ended, in milliseconds since 1970.
  private let times = Mutex<[String: Int64]>([:])

  func contains(_ claims: AccessClaims) -> Bool {
    times.withLock { !$0.isEmpty && $0[claims.loginID] != nil }
  }

  func contains(_ loginID: String) -> Bool { times.withLock { $0[loginID] != nil } }

  /// Returns those that were not known.
  func note(_ ended: [EndedLogin]) -> Set<String> {
    times.withLock { times in
      Set(ended.filter { times.updateValue($0.endedAt, forKey: $0.id) == nil }.map(\.id))
    }
  }

  /// Forgets those that ended before a time, in milliseconds since 1970.
  func forget(before time: Int64) { times.withLock { $0 = $0.filter { $0.value >= time } } }
}
