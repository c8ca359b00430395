public import TransportCrypto

/// The content coding `aes128gcm` (RFC 8188) for what fits into one record.
///
/// ```
/// | salt (16) | record size (4) | length of the key's id (1) | key's id | ciphertext | tag (16) |
/// ```
public struct EncryptedContent: Sendable {
  /// What the header says of the record; content of one record is never as long.
  public static let recordSize = 4_096

  private let crypto = OpenSSLCrypto()
  private let secret: [UInt8]
  private let salt: [UInt8]
  private let keyID: [UInt8]

  /// - Parameters:
  ///   - secret: the input keying material.
  ///   - salt: 16 octets, others for each content under one secret.
  ///   - keyID: what tells the reader which secret it is, at most 255 octets.
  public init(secret: [UInt8], salt: [UInt8], keyID: [UInt8]) {
    precondition(salt.count == 16 && keyID.count <= 255)
    (self.secret, self.salt, self.keyID) = (secret, salt, keyID)
  }

  /// Encrypts content.
  ///
  /// - Parameter size: octets that content, delimiter and padding have together, where the content is not longer.
  /// - Throws: where it does not fit into one record.
  public func encrypt(_ content: [UInt8], paddedTo size: Int = 0) throws(TransportCryptoError) -> [UInt8] {
    // 2 delimits the content of the last record (RFC 8188 §2).
    var plaintext = content + [2]
    plaintext += [UInt8](repeating: 0, count: max(0, size - plaintext.count))
    guard plaintext.count + 16 <= Self.recordSize else {
      throw TransportCryptoError("the content is longer than one record")
    }
    let size = [UInt8](Self.recordSize.bigEndianOctets)
    return try salt + size + [UInt8(keyID.count)] + keyID
      + crypto.sealAES128GCM(
        plaintext, key: derived("aes128gcm", byteCount: 16), nonce: derived("nonce", byteCount: 12))
  }

  /// Of the first record, whose number changes nothing of the nonce (RFC 8188 §2.3).
  private func derived(_ name: String, byteCount: Int) -> [UInt8] {
    crypto.hkdfSHA256(
      secret: secret, salt: salt, info: Array("Content-Encoding: \(name)\u{0}".utf8), byteCount: byteCount)
  }
}

extension Int {
  /// Of its last 32 bits.
  fileprivate var bigEndianOctets: [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
