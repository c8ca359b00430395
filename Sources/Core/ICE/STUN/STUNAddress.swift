import MediaCore

/// The coding of XOR-MAPPED-ADDRESS (RFC 8489 §14.2): family, port and address, masked with the magic cookie and,
/// for IPv6, with the transaction id as well.
enum STUNAddressFamily {
  static let ipv4: UInt8 = 1
  static let ipv6: UInt8 = 2
}

extension TransportAddress {
  /// Masks or unmasks the address; the operation is its own inverse.
  func masked(_ transactionID: STUNTransactionID) -> TransportAddress {
    let port = port ^ UInt16(truncatingIfNeeded: STUNHeader.magicCookie >> 16)
    if let ipv4 { return TransportAddress(ipv4: ipv4 ^ STUNHeader.magicCookie, port: port) }
    let mask = UInt64(STUNHeader.magicCookie) << 32 | UInt64(transactionID.high)
    return TransportAddress(ipv6: high ^ mask, low ^ transactionID.low, port: port)
  }
}

extension ByteReader {
  mutating func readXORAddress(_ transactionID: STUNTransactionID) throws(UnexpectedEnd) -> TransportAddress {
    try skip(1)
    let family = try readUInt8()
    let port = try readUInt16()
    switch (family, remaining) {
    case (STUNAddressFamily.ipv4, 4):
      return TransportAddress(ipv4: try readUInt32(), port: port).masked(transactionID)
    case (STUNAddressFamily.ipv6, 16):
      return TransportAddress(ipv6: try readUInt64(), try readUInt64(), port: port).masked(transactionID)
    default:
      throw UnexpectedEnd()
    }
  }

  /// ERROR-CODE's number, class times hundred plus number (RFC 8489 §14.8).
  mutating func readErrorCode() throws(UnexpectedEnd) -> Int {
    try skip(2)
    return Int(try readUInt8() & 0x07) * 100 + Int(try readUInt8())
  }
}
