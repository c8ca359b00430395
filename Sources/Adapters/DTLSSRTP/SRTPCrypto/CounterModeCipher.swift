import COpenSSL

/// AES in counter mode (RFC 3711 §4.1.1).
struct CounterModeCipher: ~Copyable {
  private let context: CipherContext

  /// - Parameter key: 16 or 32 octets.
  init(key: [UInt8]) throws(SRTPCryptoError) {
    guard let cipher = key.count == 32 ? EVP_aes_256_ctr() : EVP_aes_128_ctr() else {
      throw .unavailable(function: "EVP_aes_ctr")
    }
    context = try CipherContext(cipher, key: key, .seal)
  }

  /// Combines octets with the keystream, in place: encrypts and decrypts alike.
  func combine(_ octets: UnsafeMutableRawBufferPointer, from vector: UInt128) -> Bool {
    context.begin(vector) && context.transform(octets)
  }

  /// The keystream itself, for the derivation of keys.
  func keystream(from vector: UInt128, count: Int) throws(SRTPCryptoError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: count)
    let isMade = octets.withUnsafeMutableBytes { combine($0, from: vector) }
    guard isMade else { throw .unavailable(function: "EVP_CipherUpdate") }
    return octets
  }
}
