internal import HubCore
internal import HubStore
internal import SystemSupport

/// Whether the store can be read. It is asked once a second, however often `/healthz` is.
final class StoreHealth: Sendable {
  private struct Finding {
    var isReadable: Bool
    var at: Instant
  }

  private let store: any HubStore
  private let lifetime: Duration = .seconds(1)
  private let last = Mutex<Finding?>(nil)

  init(store: any HubStore) { self.store = store }

  var isReadable: Bool {
    get async {
      let now = Instant.now
      if let last = last.withLock(\.self), last.at.duration(to: now) < lifetime { return last.isReadable }
      let isReadable = await ask()
      last.withLock { $0 = Finding(isReadable: isReadable, at: now) }
      return isReadable
    }
  }

  /// A store that cannot be reached for now cannot be reached by other nodes either.
  private func ask() async -> Bool {
    do {
      _ = try await store.signingKeys()
      return true
    } catch HubStoreError.unavailable {
      return true
    } catch {
      return false
    }
  }
}
