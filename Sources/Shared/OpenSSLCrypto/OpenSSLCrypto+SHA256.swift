import COpenSSL
public import TransportCrypto

extension OpenSSLCrypto: SHA256Hashing {
  /// A new hash. Traps when OpenSSL has no SHA-256 or no memory, as nothing can be proved then.
  public func makeSHA256() -> any SHA256Hash { OpenSSLHash() }
}

/// A SHA-256 state of OpenSSL's.
///
/// Single-threaded, as openssl-threads(7) requires of unshared objects.
private final class OpenSSLHash: SHA256Hash {
  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      preconditionFailure("OpenSSL has no SHA-256")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  func update(_ bytes: RawSpan) {
    let status = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    precondition(status == 1, "OpenSSL's SHA-256 failed")
  }

  func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
      precondition(EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1, "OpenSSL's SHA-256 failed")
      count = Int(SHA256_DIGEST_LENGTH)
    }
  }
}
