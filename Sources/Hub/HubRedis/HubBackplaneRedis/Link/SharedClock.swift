internal import HubCore
internal import SystemSupport

/// Redis's time as this node knows it, so that records mean the same on every node, whatever the nodes' own clocks say.
final class SharedClock: Sendable {
  private struct Reading {
    var local: Instant
    /// Milliseconds since 1970 by Redis's clock.
    var shared: Int64
    var uncertainty: Duration
  }

  /// How much surer a reading has to be to be preferred to a later one.
  private static let drift = 0.0002
  private let reading = Mutex<Reading?>(nil)

  /// Takes a `TIME` that was asked for and answered at these instants.
  func observe(_ milliseconds: Int64, sentAt: Instant, receivedAt: Instant) {
    let half = sentAt.duration(to: receivedAt) / 2
    let new = Reading(local: sentAt + half, shared: milliseconds, uncertainty: half)
    reading.withLock { reading in
      let age = reading.map { $0.local.duration(to: new.local) } ?? .zero
      let known = reading.map { $0.uncertainty + age * Self.drift } ?? .seconds(3_600)
      if new.uncertainty <= known { reading = new }
    }
  }

  func milliseconds(at instant: Instant) -> Int64 {
    let reading = reading.withLock { $0 } ?? Self.unknown
    let elapsed = reading.local.duration(to: instant)
    return reading.shared + elapsed.components.seconds * 1_000
      + elapsed.components.attoseconds / 1_000_000_000_000_000
  }

  func instant(at milliseconds: Int64) -> Instant {
    let reading = reading.withLock { $0 } ?? Self.unknown
    return reading.local + .milliseconds(milliseconds - reading.shared)
  }

  /// Before Redis has answered anything nothing was read from it either.
  private static var unknown: Reading { Reading(local: .now, shared: 0, uncertainty: .seconds(3_600)) }
}
