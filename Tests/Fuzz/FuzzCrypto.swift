import TransportCrypto

/// Digests of zeros, so that the fuzzer can sign; numbers that repeat, so that it can answer.
final class FuzzCrypto: CryptoPrimitives {
  private var counter: UInt64 = 0

  func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    digest.withUnsafeMutableBytes { $0.prefix(20).copyBytes(from: [UInt8](repeating: 0, count: 20)) }
  }

  func md5(_ message: RawSpan, into digest: inout MutableRawSpan) {}

  func randomUInt64() -> UInt64 {
    counter = (counter + 1) % 8
    return counter
  }
}
