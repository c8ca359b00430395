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
  private static let pause: Duration = .seconds(20)
  private static let portion = 1_024

  private struct State {
    var waiting: [String: SeenRecord] = [:]
    /// When each was noted last, in milliseconds since 1970; forgotten once it may be noted again.
    var notedAt: [String: Int64] = [:]
    var isFailing = false
  }

  private let store: any HubStore
  private let logger: Logger
  private let state = Mutex(State())

  init(store: any HubStore, logger: Logger) {
    (self.store, self.logger) = (store, logger)
  }

  func note(_ principal: Principal, client: String) {
    guard principal.role.hasAccount else { return }
    let now = TokenAuthority.nowInMilliseconds
    state.withLock { state in
      if let noted = state.notedAt[principal.userID], now - noted < Self.interval { return }
      state.notedAt[principal.userID] = now
      state.waiting[principal.userID] = SeenRecord(userID: principal.userID, at: now, client: client)
    }
  }

  /// When users were online last: what waits to be written counts.
  func latest(of userIDs: [String]) async throws -> [String: SeenRecord] {
    var latest = try await store.seen(userIDs)
    state.withLock { state in
      for id in userIDs { latest[id] = state.waiting[id] ?? latest[id] }
    }
    return latest
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: Self.pause)) != nil { await self.write() }
    }
    await write()
  }

  private func write() async {
    forgetOld()
    while let portion = takePortion() {
      do {
        try await store.noteSeen(portion)
        state.withLock { $0.isFailing = false }
      } catch {
        return keep(portion, after: error)
      }
    }
  }

  private func takePortion() -> [SeenRecord]? {
    state.withLock { state in
      let portion = Array(state.waiting.values.prefix(Self.portion))
      for record in portion { state.waiting[record.userID] = nil }
      return portion.isEmpty ? nil : portion
    }
  }

  private func keep(_ portion: [SeenRecord], after error: any Error) {
    let isFirst = state.withLock { state in
      for record in portion where state.waiting[record.userID] == nil { state.waiting[record.userID] = record }
      defer { state.isFailing = true }
      return !state.isFailing
    }
    if isFirst { logger.warning("when users were online cannot be written: \(error); trying again") }
  }

  private func forgetOld() {
    let oldest = TokenAuthority.nowInMilliseconds - Self.interval
    state.withLock { state in state.notedAt = state.notedAt.filter { $0.value > oldest } }
  }
}
