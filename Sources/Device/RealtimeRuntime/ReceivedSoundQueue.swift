public import MediaCore

/// Received audio packets on their way from the network thread to the one that plays them, as they came.
///
/// There is no wake-up: a consumer polls for each block it plays. Packets that do not fit are dropped.
public final class ReceivedSoundQueue: Sendable {
  private let ring: FrameRing

  /// - Parameter byteCount: 64 KiB hold more than two seconds at the highest bit rate.
  public init(byteCount: Int = 64 * 1_024) { ring = FrameRing(byteCount: byteCount) }

  public var isEmpty: Bool { ring.isEmpty }

  /// Copies a packet in. Producer's side.
  public func push(_ arrival: SoundArrival, payload: RawSpan) {
    let header = EncodedFrameHeader(
      kind: .audio, timestamp: arrival.instant, duration: .zero, isKeyFrame: true,
      number: UInt32(arrival.sequenceNumber), arrival: arrival)
    ring.push(header, payload: payload)
  }

  /// Lends the oldest packet and removes it afterwards; returns false when none waits. Consumer's side.
  public func popFirst(_ body: (SoundArrival, RawSpan) -> Void) -> Bool {
    let packet: Void? = ring.popFirst { header, payload in
      if let arrival = header.arrival { body(arrival, payload) }
    }
    return packet != nil
  }
}
