internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import SystemSupport

/// Writes when users were online last: of each at most once in five minutes, many at once, so that heartbeats cost the
/// store next to nothing.
final class SeenUsers: Service {
  /// In milliseconds.
  private static let interval: Int64 = 300_000

  private let store: any HubStore
  private let records: WaitingRecords<SeenRecord>
  /// When each was noted last, in milliseconds since 1970; forgotten once it may be noted again.
  private let notedAt = Mutex<[String: Int64]>([:])

  init(store: any HubStore, logger: Logger) {
    self.store = store
    records = WaitingRecords(every: .seconds(20), "when users were online", logger: logger) {
      try await store.noteSeen($0)
    }
  }

  func note(_ principal: Principal, client: String) {
    guard principal.role.hasAccount else { return }
    let now = TokenAuthority.nowInMilliseconds
    let isDue = notedAt.withLock { notedAt in
      if let noted = notedAt[principal.userID], now - noted < Self.interval { return false }
      notedAt[principal.userID] = now
      return true
    }
    if isDue { records.put(SeenRecord(userID: principal.userID, at: now, client: client), of: principal.userID) }
  }

  /// When users were online last: what waits to be written counts.
  func latest(of userIDs: [String]) async throws -> [String: SeenRecord] {
    try await store.seen(userIDs).merging(records.waiting(userIDs)) { $1 }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.records.run { self.forgetOld() }
    }
  }

  private func forgetOld() {
    let oldest = TokenAuthority.nowInMilliseconds - Self.interval
    notedAt.withLock { notedAt in notedAt = notedAt.filter { $0.value > oldest } }
  }
}
