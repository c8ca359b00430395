import COpenSSL
public import TransportCrypto

extension OpenSSLCrypto {
  /// HKDF with SHA-256 (RFC 5869), for keys of at most one digest.
  ///
  /// - Parameter byteCount: 1 to 32.
  public func hkdfSHA256(secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int) -> [UInt8] {
    precondition((1...Int(SHA256_DIGEST_LENGTH)).contains(byteCount))
    let key = hmacSHA256(key: salt, message: secret)
    return Array(hmacSHA256(key: key, message: info + [1]).prefix(byteCount))
  }

  /// AES-128-GCM (SP 800-38D) without associated data: the ciphertext with its tag of 16 octets behind it.
  ///
  /// - Parameters:
  ///   - key: 16 octets.
  ///   - nonce: 12 octets, never used twice with one key.
  public func sealAES128GCM(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) throws(TransportCryptoError) -> [UInt8]
  {
    precondition(key.count == 16 && nonce.count == 12)
    guard let context = EVP_CIPHER_CTX_new() else { throw takeCryptoError("EVP_CIPHER_CTX_new") }
    defer { EVP_CIPHER_CTX_free(context) }
    let sealed = [UInt8](unsafeUninitializedCapacity: plaintext.count + 16) { buffer, filled in
      var (count, rest): (CInt, CInt) = (0, 0)
      let end = buffer.baseAddress.map { $0 + plaintext.count }
      let isSealed =
        EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
        && EVP_EncryptUpdate(context, buffer.baseAddress, &count, plaintext, CInt(clamping: plaintext.count)) == 1
        && EVP_EncryptFinal_ex(context, end, &rest) == 1 && ls_gcm_get_tag(context, end) == 1
      filled = isSealed ? plaintext.count + 16 : 0
    }
    guard sealed.count == plaintext.count + 16 else { throw takeCryptoError("EVP_EncryptUpdate") }
    return sealed
  }

  /// The inverse of ``sealAES128GCM(_:key:nonce:)``; nil where key, nonce or content are others.
  public func openAES128GCM(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
    guard key.count == 16, nonce.count == 12, sealed.count >= 16, let context = EVP_CIPHER_CTX_new() else { return nil }
    defer {
      EVP_CIPHER_CTX_free(context)
      // Content that was changed leaves errors in this thread's queue.
      ERR_clear_error()
    }
    let (ciphertext, tag) = (Array(sealed.dropLast(16)), Array(sealed.suffix(16)))
    var isGenuine = false
    let plaintext = [UInt8](unsafeUninitializedCapacity: ciphertext.count + 1) { buffer, filled in
      var (count, rest): (CInt, CInt) = (0, 0)
      isGenuine =
        EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
        && EVP_DecryptUpdate(context, buffer.baseAddress, &count, ciphertext, CInt(clamping: ciphertext.count)) == 1
        && ls_gcm_set_tag(context, tag) == 1
        && EVP_DecryptFinal_ex(context, buffer.baseAddress.map { $0 + ciphertext.count }, &rest) == 1
      filled = isGenuine ? ciphertext.count : 0
    }
    return isGenuine ? plaintext : nil
  }
}
