/// SRTCP's E flag and 31-bit index, as they stand in the packet (RFC 3711 §3.4).
public struct SRTCPIndexWord: Sendable {
  public let value: UInt32

  /// Octets of the word.
  public static let count = 4

  public init(value: UInt32) { self.value = value }

  /// Of an encrypted packet.
  public init(index: UInt32) { value = index | 0x8000_0000 }

  public var index: UInt32 { value & 0x7FFF_FFFF }

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
