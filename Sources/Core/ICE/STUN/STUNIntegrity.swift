import MediaCore
public import TransportCrypto

/// MESSAGE-INTEGRITY (RFC 8489 §14.5): HMAC-SHA1 over everything before the attribute, the header's length counting
/// up to the attribute's end.
enum STUNIntegrity {
  static let digestSize = 20
  /// Octets of the whole attribute.
  static let attributeSize = 24
  /// Longer messages count as not authentic; no connectivity check comes near.
  static let maximumMessageSize = 1_280
}

extension STUNMessage {
  /// Whether the message carries a MESSAGE-INTEGRITY made with `password`.
  ///
  /// - Parameter datagram: what the message was parsed from.
  public func hasValidIntegrity(in datagram: RawSpan, password: [UInt8], crypto: any CryptoPrimitives) -> Bool {
    guard let offset = integrityOffset, offset <= STUNIntegrity.maximumMessageSize else { return false }
    var scratch = [1_280 of UInt8](repeating: 0)
    var digest = [20 of UInt8](repeating: 0)
    var digestSpan = digest.mutableSpan
    var output = unsafe digestSpan.mutableBytes
    guard (try? Self.copyProtectedPart(of: datagram, offset, to: &scratch)) != nil else { return false }
    unsafe crypto.hmacSHA1(
      key: password.span.bytes, message: scratch.span.bytes.extracting(0..<offset), into: &output)
    let value = offset + STUNAttribute.headerSize
    return Self.areEqual(output.bytes, datagram.extracting(value..<value + STUNIntegrity.digestSize))
  }

  /// FINGERPRINT may follow the integrity, so the length that was authenticated differs from the one sent.
  private static func copyProtectedPart(
    of datagram: RawSpan, _ offset: Int, to scratch: inout [1_280 of UInt8]
  ) throws(InsufficientSpace) {
    var span = scratch.mutableSpan
    var writer = ByteWriter(unsafe span.mutableBytes)
    try writer.write(datagram.extracting(0..<offset))
    try writer.overwrite(UInt16(clamping: offset + STUNIntegrity.attributeSize - STUNHeader.size), at: 2)
  }

  /// Compares in constant time.
  private static func areEqual(_ lhs: RawSpan, _ rhs: RawSpan) -> Bool {
    var left = ByteReader(lhs)
    var right = ByteReader(rhs)
    var difference = UInt8(lhs.byteCount == rhs.byteCount ? 0 : 1)
    while let a = try? left.readUInt8(), let b = try? right.readUInt8() { difference |= a ^ b }
    return difference == 0
  }
}
