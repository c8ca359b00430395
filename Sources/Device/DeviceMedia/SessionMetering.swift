import Locking
import MediaCore
import MediaPlaneAPI
import PeerSession
import Signalling

/// Knows what the sessions sent and received over the last seconds: reads the network's counters every two while it is
/// started.
final class SessionMetering: Sendable {
  private struct Meters {
    /// Bytes.
    var sent = RateMeter()
    var received = RateMeter()
  }

  private struct State {
    var meters: [SessionID: Meters] = [:]
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

  /// All sessions of the network loop, sorted by id.
  func status() async -> [MediaPlaneStatus.Session] {
    await readings().map { reading in
      MediaPlaneStatus.Session(
        sessionID: reading.sessionID, isConnected: reading.counters.isConnected, sendBitrate: reading.sendBitrate,
        receiveBitrate: reading.receiveBitrate,
        roundTripTime: reading.counters.roundTripTime.map { Int(clamping: $0.milliseconds) })
    }
  }

  /// The same sessions with all their figures.
  func telemetry() async -> [SessionTelemetry] { await readings().map { SessionTelemetry($0) } }

  /// One session's counters and rates.
  struct Reading {
    var sessionID: SessionID
    var counters: PeerSessionStatistics
    /// Bits a second.
    var sendBitrate: Int
    var receiveBitrate: Int
  }

  private func readings() async -> [Reading] {
    let statistics = await network.statistics()
    let meters = state.withLock { $0.meters }
    return statistics.sorted { $0.key < $1.key }.map { sessionID, counters in
      let meters = meters[sessionID] ?? Meters()
      return Reading(
        sessionID: sessionID, counters: counters, sendBitrate: Int(saturating: meters.sent.perSecond * 8),
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
      for (sessionID, counters) in statistics {
        var meters = before[sessionID] ?? Meters()
        meters.sent.update(counters.bytesSent, now: now)
        meters.received.update(counters.bytesReceived, now: now)
        state.meters[sessionID] = meters
      }
    }
  }
}
