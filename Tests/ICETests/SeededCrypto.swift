import MediaCore
import OpenSSLCrypto
import TransportCrypto

/// Real HMAC and MD5, repeatable random numbers (SplitMix64).
final class SeededCrypto: CryptoPrimitives {
  private let real = OpenSSLCrypto()
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    real.hmacSHA1(key: key, message: message, into: &digest)
  }

  func md5(_ message: RawSpan, into digest: inout MutableRawSpan) { real.md5(message, into: &digest) }

  func randomUInt64() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
