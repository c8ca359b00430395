/// SRTCP's E flag and 31-bit index, as they stand in the packet (RFC 3711 §3.4).
public struct SRTCPIndexWord: Sendable {
  /// The E flag in the highest bit, the index in the others.
  public let value: UInt32

  /// Octets of the word.
  public static let count = 4

  /// The word as sent.
  public init(value: UInt32) { self.value = value }

  /// The index word of an encrypted packet.
  public init(index: UInt32) { value = index | 0x8000_0000 }

  /// 31 bits; counts a sender's compounds.
  public var index: UInt32 { value & 0x7FFF_FFFF }

  /// The E flag.
  public var isEncrypted: Bool { value & 0x8000_0000 != 0 }

  /// In network order.
  public var octets: InlineArray<4, UInt8> { networkOrder(value) }
}

/// The octets of a number in network order.
public func networkOrder(_ value: UInt32) -> InlineArray<4, UInt8> {
  [
    UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16),
    UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value),
  ]
}
