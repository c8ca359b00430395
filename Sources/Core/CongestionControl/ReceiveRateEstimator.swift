public import MediaCore

/// What a peer may send to this side, estimated from the times of sending that its packets carry: the value of REMB
/// (draft-ietf-rmcat-gcc-02 §5, with the controller at the receiver).
public struct ReceiveRateEstimator: Sendable {
  private static var updateInterval: TimeSpan { .milliseconds(50) }

  private var delay: DelayBasedEstimator
  private var lastUpdate: MonotonicInstant?

  /// - Parameters:
  ///   - start: the estimate until packets have shown more.
  ///   - limits: what the estimate stays within.
  public init(start: Bitrate, limits: ClosedRange<Bitrate>) {
    delay = DelayBasedEstimator(start: start, limits: limits)
  }

  /// What the peer may send, all its streams together.
  public var estimate: Bitrate { Bitrate(delay.rate) }

  /// Takes a packet.
  ///
  /// - Parameter sent: on the peer's clock, since any origin.
  public mutating func receive(sent: TimeSpan, byteCount: Int, roundTrip: TimeSpan, now: MonotonicInstant) {
    delay.add(sent: sent, arrived: TimeSpan(nanoseconds: now.nanoseconds), byteCount: byteCount)
    guard lastUpdate.map({ now - $0 >= Self.updateInterval }) ?? true else { return }
    lastUpdate = now
    delay.update(roundTrip: roundTrip, now: now)
  }
}
