/// Follows the 48-bit packet index of one source: roll-over counter and sequence number (RFC 3711 §3.3.1, Appendix A).
public struct PacketIndex: Sendable {
  private var highest: UInt64

  /// Starts with the first packet of a source, whose roll-over counter is 0.
  public init(first sequenceNumber: UInt16) { highest = UInt64(sequenceNumber) }

  /// The index that a packet most likely has: the one nearest to the highest seen. Nil before the counter's start.
  public func estimate(_ sequenceNumber: UInt16) -> UInt64? {
    let distance = Int64(Int16(bitPattern: sequenceNumber &- UInt16(truncatingIfNeeded: highest)))
    let index = Int64(highest) + distance
    return index < 0 ? nil : UInt64(index)
  }

  /// Takes note of a packet that was sent, or found to be authentic.
  public mutating func note(_ index: UInt64) { highest = max(highest, index) }
}
