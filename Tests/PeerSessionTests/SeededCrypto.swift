import MediaCore
import OpenSSLCrypto
import TransportCrypto

/// Repeatable random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// Whether an event of this probability happens.
  mutating func happens(_ percent: UInt64) -> Bool { percent > 0 && next() % 100 < percent }
}

/// Real HMAC and MD5, repeatable random numbers.
final class SeededCrypto: CryptoPrimitives {
  private let real = OpenSSLCrypto()
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(state: seed) }

  func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    real.hmacSHA1(key: key, message: message, into: &digest)
  }

  func md5(_ message: RawSpan, into digest: inout MutableRawSpan) { real.md5(message, into: &digest) }

  func randomUInt64() -> UInt64 { generator.next() }
}
