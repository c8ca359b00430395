internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Detects within two seconds that accounts have changed or logins have ended, also by a command in another process or
/// at another node, and has every open event stream check whether its user may still have it.
///
/// Where the store reports changes it checks after each, and rarely besides; else each two seconds. A report means that
/// a change is being written: it is checked soon after that, and once more.
struct AccountWatch: Service {
  let store: any HubStore
  let principals: PrincipalCache
  let streams: EventStreamWakeups
  let desk: LoginService
  let backplane: any HubBackplane
  let views: ViewService
  let logger: Logger
  private static let pause: Duration = .seconds(2)
  /// From the first bytes of a change until it can be read.
  private static let settling: Duration = .milliseconds(100)
  /// Shorter than accounts are cached where the store reports changes.
  static let longPause: Duration = .seconds(60)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var state = State()
      let changes = store.notifiesOfAccountChanges ? store.accountChanges() : nil
      await check(&state)
      guard let changes else { return await poll(&state) }
      let (occasions, occasion) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      await withTaskGroup { group in
        group.addTask { for await _ in changes { occasion.yield() } }
        group.addTask { while (try? await Task.sleep(for: Self.longPause)) != nil { occasion.yield() } }
        for await _ in occasions {
          for pause in [Self.settling, Self.pause] {
            try? await Task.sleep(for: pause)
            await check(&state)
          }
          if state.isFailing { occasion.yield() }
        }
        group.cancelAll()
      }
    }
  }

  private struct State {
    var seen: Int64?
    /// From when on logins are asked for that have ended, in milliseconds since 1970.
    var endedSince: Int64 = 0
    var isFailing = false
  }

  private func poll(_ state: inout State) async {
    while (try? await Task.sleep(for: Self.pause)) != nil { await check(&state) }
  }

  private func check(_ state: inout State) async {
    do {
      let revision = try await store.accountRevision()
      let isSame = state.seen == revision
      if isSame { principals.confirmAll() } else { accountsChanged() }
      state.seen = revision
      let (since, hasNew) = try await noteEndedLogins(since: state.endedSince)
      state.endedSince = since
      if !isSame || hasNew { try await views.endForbidden() }
      state.isFailing = false
    } catch is CancellationError {
      // The hub stops.
    } catch {
      if !state.isFailing { logger.error("changes of accounts cannot be read: \(error); trying again") }
      state.isFailing = true
    }
  }

  /// Returns since when to ask next (what was written at the same time may not have been seen), and whether any was new.
  private func noteEndedLogins(since time: Int64) async throws -> (since: Int64, hasNew: Bool) {
    let ended = try await store.endedLogins(since: time)
    let new = desk.note(ended)
    for guestID in new where InvitationRecord.isGuest(guestID) {
      // Revoked elsewhere: the guest's call ends, too.
      try? await backplane.withdrawPresence(userID: guestID, streamID: nil)
    }
    desk.forgetOld()
    // A row from when the clock was ahead hides none that follow it.
    let now = TokenAuthority.nowInMilliseconds
    let newest = ended.map(\.endedAt).filter { $0 <= now }.max() ?? 0
    return (min(max(time, newest - 10_000), now), !new.isEmpty)
  }

  private func accountsChanged() {
    principals.forgetAll()
    streams.wakeAll()
  }
}
