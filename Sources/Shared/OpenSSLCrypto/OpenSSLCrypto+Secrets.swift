import COpenSSL
public import TransportCrypto

extension OpenSSLCrypto {
  /// The 32 octets of SHA-256 over `octets`.
  public func sha256(_ octets: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
      precondition(SHA256(octets, octets.count, buffer.baseAddress) != nil, "OpenSSL has no SHA-256")
      count = Int(SHA256_DIGEST_LENGTH)
    }
  }

  /// The 20 octets of HMAC-SHA1 (RFC 2104).
  public func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
    hmac(EVP_sha1(), key: key, message: message, byteCount: Int(SHA_DIGEST_LENGTH))
  }

  /// The 32 octets of HMAC-SHA256 (RFC 2104).
  public func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
    hmac(EVP_sha256(), key: key, message: message, byteCount: Int(SHA256_DIGEST_LENGTH))
  }

  private func hmac(_ digest: OpaquePointer?, key: [UInt8], message: [UInt8], byteCount: Int) -> [UInt8] {
    // An empty array may have no address, and HMAC takes no key for the key of the call before.
    let keyOctets = key.isEmpty ? [0] : key
    return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let code = HMAC(digest, keyOctets, CInt(key.count), message, message.count, buffer.baseAddress, nil)
      precondition(code != nil, "OpenSSL has no such HMAC")
      count = byteCount
    }
  }

  /// Derives a key from a password with scrypt (RFC 7914 §6); takes 128 · r · N octets of memory meanwhile.
  ///
  /// - Parameters:
  ///   - rounds: N, a power of two above 1.
  ///   - blockSize: r.
  ///   - parallelism: p.
  /// - Throws: where OpenSSL refuses the parameters or has not the memory.
  public func scrypt(
    _ password: [UInt8], salt: [UInt8], rounds: UInt64, blockSize: UInt64, parallelism: UInt64, byteCount: Int
  ) throws(TransportCryptoError) -> [UInt8] {
    // OpenSSL refuses to use more memory than the caller allows (EVP_PBE_scrypt(3)).
    let memory = 128 * blockSize * (rounds + 2 + parallelism)
    let passwordText = password.map { CChar(bitPattern: $0) }
    let key = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      let status = EVP_PBE_scrypt(
        passwordText, passwordText.count, salt, salt.count, rounds, blockSize, parallelism, memory,
        buffer.baseAddress, byteCount)
      count = status == 1 ? byteCount : 0
    }
    guard key.count == byteCount else { throw takeCryptoError("EVP_PBE_scrypt") }
    return key
  }
}
