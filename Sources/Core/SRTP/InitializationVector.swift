/// The initialization vectors of SRTP's ciphers.
public enum InitializationVector {
  /// Counter mode: `salt × 2^16 ⊕ SSRC × 2^64 ⊕ index × 2^16` (RFC 3711 §4.1.1). The last two octets count blocks.
  ///
  /// - Parameter salt: 14 octets of session salt.
  public static func counterMode(salt: [UInt8], ssrc: UInt32, index: UInt64) -> InlineArray<16, UInt8> {
    var vector = InlineArray<16, UInt8>(repeating: 0)
    for position in 0..<14 { vector[position] = salt[position] }
    combine(&vector, at: 4, UInt64(ssrc), octets: 4)
    combine(&vector, at: 8, index, octets: 6)
    return vector
  }

  /// GCM for SRTP: two zero octets, SSRC, roll-over counter and sequence number, all ⊕ salt (RFC 7714 §8.1).
  ///
  /// - Parameter salt: 12 octets of session salt.
  public static func gcmRTP(salt: [UInt8], ssrc: UInt32, index: UInt64) -> InlineArray<12, UInt8> {
    gcm(salt, ssrc, index)
  }

  /// GCM for SRTCP: two zero octets, SSRC, two zero octets, SRTCP index, all ⊕ salt (RFC 7714 §9.1).
  public static func gcmRTCP(salt: [UInt8], ssrc: UInt32, index: UInt32) -> InlineArray<12, UInt8> {
    gcm(salt, ssrc, UInt64(index))
  }

  private static func gcm(_ salt: [UInt8], _ ssrc: UInt32, _ index: UInt64) -> InlineArray<12, UInt8> {
    var vector = InlineArray<12, UInt8>(repeating: 0)
    for position in 0..<12 { vector[position] = salt[position] }
    combine(&vector, at: 2, UInt64(ssrc), octets: 4)
    combine(&vector, at: 6, index, octets: 6)
    return vector
  }

  private static func combine<let count: Int>(
    _ vector: inout InlineArray<count, UInt8>, at start: Int, _ value: UInt64, octets: Int
  ) {
    for position in 0..<octets {
      vector[start + position] ^= UInt8(truncatingIfNeeded: value >> UInt64(8 * (octets - 1 - position)))
    }
  }
}
