import SystemSupport
public import MediaCore
public import RealtimeRuntime

/// Waits for the disk that are under way, so that one which hangs is noticed while it does.
public final class DiskWaits: Sendable {
  private struct State {
    var begun: [Int: MonotonicInstant] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// A disk that takes longer is in trouble; slow ones take half a second.
  private static let timeout = TimeSpan.seconds(5)

  public init() {}

  func begin(now: MonotonicInstant) -> Int {
    state.withLock { state in
      state.last += 1
      state.begun[state.last] = now
      return state.last
    }
  }

  func end(_ id: Int) { state.withLock { $0.begun[id] = nil } }

  /// A warning about the folder's disk; nil while no wait is long.
  public func problem(of folder: String, now: MonotonicInstant = MonotonicClock.now()) -> String? {
    guard let oldest = state.withLock({ $0.begun.values.min() }), now - oldest > Self.timeout else { return nil }
    return """
      \(folder): the disk has taken nothing for \((now - oldest).milliseconds / 1_000) s; recordings wait in memory, and lose \
      frames when that is full; see the kernel's log (journalctl -k)
      """
  }
}
