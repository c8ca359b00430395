import OpenSSLCrypto
public import TransportCrypto

/// Real HMAC and MD5, random numbers that repeat.
public final class SeededCrypto: CryptoPrimitives {
  private let real = OpenSSLCrypto()
  private var generator: SeededGenerator

  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  public func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    real.hmacSHA1(key: key, message: message, into: &digest)
  }

  public func md5(_ message: RawSpan, into digest: inout MutableRawSpan) { real.md5(message, into: &digest) }

  public func randomUInt64() -> UInt64 { generator.next() }
}
