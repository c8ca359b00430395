internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Sees within two seconds that accounts have changed, also by a command in another process, and has every open event
/// stream look whether its user may still have it.
struct AccountWatch: Service {
  let store: any HubStore
  let principals: PrincipalCache
  let streams: EventStreamWakeups
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var seen: Int64?
      var isFailing = false
      repeat {
        do {
          let revision = try await store.accountRevision()
          if seen == revision { principals.confirmAll() } else { accountsChanged() }
          (seen, isFailing) = (revision, false)
        } catch {
          if !isFailing { logger.error("changes of accounts cannot be read: \(error); trying again") }
          isFailing = true
        }
      } while (try? await Task.sleep(for: .seconds(2))) != nil
    }
  }

  private func accountsChanged() {
    principals.forgetAll()
    streams.wakeAll()
  }
}
