import MediaCore

/// The checksum of STUN's FINGERPRINT attribute (RFC 8489 §14.7): CRC-32 of ITU V.42, XORed with "STUN".
enum STUNFingerprint {
  /// Octets of the whole attribute.
  static let attributeSize = 8

  static func compute(over bytes: RawSpan) -> UInt32 { crc32(bytes) ^ 0x5354_554E }

  static func crc32(_ bytes: RawSpan) -> UInt32 {
    var crc = UInt32.max
    var reader = ByteReader(bytes)
    while let byte = try? reader.readUInt8() {
      crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
    return ~crc
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
  }
}
