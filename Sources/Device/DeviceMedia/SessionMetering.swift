import SystemSupport
import MediaCore
import NetworkLoop
import PeerSession
import Signalling

/// Knows what the sessions sent and received over the last seconds: reads the network's counters every two while it is
/// started.
final class SessionMetering: Sendable {
  private struct Meters {
    /// Bytes.
    var sent = CounterRate()
    var received = CounterRate()
  }

  private struct State {
    var meters: [SessionHandle: Meters] = [:]
    var sampling: Task<Void, Never>?
  }

  private static let interval = TimeSpan.seconds(2)

  private let network: any SessionNetwork
  private let clock: MediaClock
  private let state = Mutex(State())

  init(_ network: any SessionNetwork, _ clock: MediaClock) {
    self.network = network
    self.clock = clock
  }

  deinit { stop() }

  /// Begins, unless that is under way.
  func start() {
    state.withLock { state in
      guard state.sampling == nil else { return }
      state.sampling = Task { [weak self, clock] in
        while !Task.isCancelled {
          await self?.sample()
          try? await clock.sleep(Self.interval)
        }
      }
    }
  }

  func stop() {
    state.withLock { state in
      state.sampling?.cancel()
      state = State()
    }
  }

  /// One session's counters and rates.
  struct Reading {
    var session: SessionHandle
    var counters: PeerSessionStatistics
    /// Bits a second.
    var sendBitrate: Int
    var receiveBitrate: Int
  }

  /// All sessions of the network loop, sorted by id.
  func readings() async -> [Reading] {
    let statistics = await network.statistics()
    let meters = state.withLock { $0.meters }
    return statistics.sorted { $0.key.sessionID < $1.key.sessionID }.map { session, counters in
      let meters = meters[session] ?? Meters()
      return Reading(
        session: session, counters: counters, sendBitrate: Int(saturating: meters.sent.perSecond * 8),
        receiveBitrate: Int(saturating: meters.received.perSecond * 8))
    }
  }

  private func sample() async {
    let statistics = await network.statistics()
    let now = clock.now()
    state.withLock { state in
      guard state.sampling != nil else { return }
      // Those of sessions that are gone are left behind.
      let before = state.meters
      state.meters = [:]
      for (session, counters) in statistics {
        var meters = before[session] ?? Meters()
        meters.sent.update(counters.bytesSent, now: now)
        meters.received.update(counters.bytesReceived, now: now)
        state.meters[session] = meters
      }
    }
  }
}
