import COpenSSL
public import TransportCrypto

extension OpenSSLCrypto: SignatureVerifying {
  /// Verifies with EVP_DigestVerify, which takes Ed25519's message as a whole (EVP_SIGNATURE-ED25519(7)).
  public func isValidEd25519(signature: RawSpan, of message: RawSpan, publicKey: RawSpan) -> Bool {
    guard signature.byteCount == 64, publicKey.byteCount == 32 else { return false }
    let key = publicKey.withUnsafeBytes { octets in
      EVP_PKEY_new_raw_public_key(
        EVP_PKEY_ED25519, nil, octets.bindMemory(to: UInt8.self).baseAddress, octets.count)
    }
    guard let key, let context = EVP_MD_CTX_new() else {
      ERR_clear_error()
      return false
    }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(key)
      // A signature that does not hold leaves errors in this thread's queue.
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
    return signature.withUnsafeBytes { signature in
      message.withUnsafeBytes { message in
        EVP_DigestVerify(
          context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
          message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
      }
    }
  }
}
