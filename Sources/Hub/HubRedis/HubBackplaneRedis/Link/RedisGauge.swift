internal import HubCore
internal import SystemSupport

/// What is measured of this node's connection to Redis.
final class RedisGauge: Sendable {
  private let state = Mutex(RedisFigures())

  var figures: RedisFigures { state.withLock { $0 } }

  func connectionChanged(isConnected: Bool) {
    state.withLock { figures in
      figures.isConnected = isConnected
      if isConnected { figures.connections += 1 }
    }
  }

  func answered(after duration: Duration) { state.withLock { $0.roundTrips.observe(duration) } }

  func failed() { state.withLock { $0.failures += 1 } }
}
