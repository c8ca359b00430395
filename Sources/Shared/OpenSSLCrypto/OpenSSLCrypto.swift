import COpenSSL
import MediaCore
public import TransportCrypto

/// HMAC-SHA1, MD5 and random numbers by OpenSSL.
///
/// The object is stateless. OpenSSL's one-shot `HMAC`, `MD5` and `RAND_bytes` may be called by any number of
/// threads at once (openssl-threads(7)), so one instance can serve the whole process.
public final class OpenSSLCrypto: CryptoPrimitives, Sendable {
  public init() {}

  /// Writes the 20-octet HMAC-SHA1 of `message` to the front of `digest`, which must have room for it.
  public func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    precondition(digest.byteCount >= Int(SHA_DIGEST_LENGTH))
    let result = digest.withUnsafeMutableBytes { output in
      key.withUnsafeBytes { key in
        message.withUnsafeBytes { message in
          HMAC(
            EVP_sha1(), key.baseAddress ?? UnsafeRawPointer(output.baseAddress!), CInt(key.count),
            message.bindMemory(to: UInt8.self).baseAddress, message.count,
            output.bindMemory(to: UInt8.self).baseAddress, nil)
        }
      }
    }
    precondition(result != nil, "OpenSSL has no HMAC-SHA1")
  }

  /// Writes the 16-octet MD5 of `message` to the front of `digest`, which must have room for it.
  public func md5(_ message: RawSpan, into digest: inout MutableRawSpan) {
    precondition(digest.byteCount >= Int(MD5_DIGEST_LENGTH))
    // Not through EVP, which refuses MD5 where the system is set up for FIPS.
    _ = digest.withUnsafeMutableBytes { output in
      message.withUnsafeBytes { message in
        MD5(
          message.bindMemory(to: UInt8.self).baseAddress, message.count,
          output.bindMemory(to: UInt8.self).baseAddress)
      }
    }
  }

  /// A cryptographically strong random number.
  ///
  /// Traps when the system's random generator fails: nothing secret can be made after that.
  public func randomUInt64() -> UInt64 {
    var value: UInt64 = 0
    let status = withUnsafeMutableBytes(of: &value) { bytes in
      RAND_bytes(bytes.bindMemory(to: UInt8.self).baseAddress, CInt(bytes.count))
    }
    precondition(status == 1, "OpenSSL's random generator failed")
    return value
  }
}
