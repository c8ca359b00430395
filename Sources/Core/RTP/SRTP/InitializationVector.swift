/// The initialization vectors of SRTP's ciphers, as numbers whose octets in network order the ciphers take: all 16 in
/// counter mode, the first 12 in GCM.
public enum InitializationVector {
  /// A session salt of 12 or 14 octets as the start of a vector; zeros follow.
  public static func salt(_ octets: [UInt8]) -> UInt128 {
    precondition(octets.count <= 16)
    let value = octets.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    return value << UInt128(8 * (16 - octets.count))
  }

  /// Counter mode: `salt × 2^16 ⊕ SSRC × 2^64 ⊕ index × 2^16` (RFC 3711 §4.1.1). The last two octets count blocks.
  ///
  /// - Parameter salt: of 14 octets.
  public static func counterMode(salt: UInt128, ssrc: UInt32, index: UInt64) -> UInt128 {
    salt ^ UInt128(ssrc) << 64 ^ UInt128(index) << 16
  }

  /// GCM: two zero octets, SSRC and a number of six octets, all ⊕ salt. The number is roll-over counter and sequence
  /// number of an RTP packet (RFC 7714 §8.1), or the SRTCP index (§9.1).
  ///
  /// - Parameter salt: of 12 octets.
  public static func gcm(salt: UInt128, ssrc: UInt32, index: UInt64) -> UInt128 {
    salt ^ UInt128(ssrc) << 80 ^ UInt128(index) << 32
  }
}
