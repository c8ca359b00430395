import COpenSSL

/// How one content is encrypted as a CMS message: AuthEnvelopedData (RFC 5083) with AES-256-GCM (RFC 5084), its key by RSA-OAEP
/// (RFC 3560).
///
/// ```
/// head | content, encrypted | tail: the authentication code
/// ```
///
/// The same values give the same message of the same content, so that any part of it can be made again. They must serve one
/// content only: a second one under the same key would show both.
public struct MessageEncryption: Hashable, Sendable {
  public let key: [UInt8]
  public let nonce: [UInt8]
  /// The header before the encrypted content.
  public let head: [UInt8]

  public static let tailByteCount = 18
  private static let keyByteCount = 32
  private static let nonceByteCount = 12
  private static let codeByteCount: UInt8 = 16
  private static let longestContent: UInt64 = (1 << 36) - 32

  /// With a random key.
  ///
  /// - Parameter byteCount: of the content.
  public init(for recipient: EncryptionRecipient, byteCount: UInt64) throws(ContentEncryptionError) {
    guard byteCount <= Self.longestContent else { throw .tooLong }
    key = try Self.random(Self.keyByteCount)
    nonce = try Self.random(Self.nonceByteCount)
    head = Self.head(identity: recipient.identity, wrapped: try recipient.wrap(key), nonce: nonce, byteCount)
  }

  /// Restores an earlier one; nil for values of other lengths.
  public init?(key: [UInt8], nonce: [UInt8], head: [UInt8]) {
    guard key.count == Self.keyByteCount, nonce.count == Self.nonceByteCount, !head.isEmpty else { return nil }
    self.key = key
    self.nonce = nonce
    self.head = head
  }

  private static func random(_ count: Int) throws(ContentEncryptionError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&octets, CInt(clamping: count)) == 1 else { throw .last("RAND_bytes") }
    return octets
  }

  /// Bytes of the encrypted content.
  ///
  /// GCM encrypts with AES in counter mode; the counter of its first block is 2 (NIST SP 800-38D §7.1).
  ///
  /// - Parameters:
  ///   - content: of which the first stands at `offset`; they are replaced.
  ///   - offset: from the content's beginning, a multiple of 16.
  public func encrypt(_ content: inout [UInt8], at offset: UInt64) throws(ContentEncryptionError) {
    let counter = UInt32(truncatingIfNeeded: offset / 16 + 2)
    let block = nonce + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
    guard let context = EVP_CIPHER_CTX_new() else { throw .last("EVP_CIPHER_CTX_new") }
    defer { EVP_CIPHER_CTX_free(context) }
    var count: CInt = 0
    let size = CInt(clamping: content.count)
    let isDone = content.withUnsafeMutableBufferPointer { bytes in
      EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, block) == 1
        && EVP_EncryptUpdate(context, bytes.baseAddress, &count, bytes.baseAddress, size) == 1
    }
    guard isDone, count == size else { throw .last("EVP_EncryptUpdate") }
  }

  /// The trailer after the encrypted content.
  ///
  /// - Parameter next: the content's next bytes, until there are none.
  public func tail<Failure: Error>(_ next: () throws(Failure) -> [UInt8]) throws -> [UInt8] {
    guard let context = EVP_CIPHER_CTX_new() else { throw ContentEncryptionError.last("EVP_CIPHER_CTX_new") }
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1 else {
      throw ContentEncryptionError.last("EVP_EncryptInit_ex")
    }
    var count: CInt = 0
    while case var bytes = try next(), !bytes.isEmpty {
      let isDone = bytes.withUnsafeMutableBufferPointer { bytes in
        EVP_EncryptUpdate(context, bytes.baseAddress, &count, bytes.baseAddress, CInt(clamping: bytes.count)) == 1
      }
      guard isDone else { throw ContentEncryptionError.last("EVP_EncryptUpdate") }
    }
    var code = [UInt8](repeating: 0, count: Int(Self.codeByteCount))
    guard EVP_EncryptFinal_ex(context, nil, &count) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(Self.codeByteCount), &code) == 1
    else { throw ContentEncryptionError.last("EVP_EncryptFinal_ex") }
    return DERWriter.octetString(code)
  }
}

// MARK: - The head

extension MessageEncryption {
  private static func head(
    identity: [UInt8], wrapped: [UInt8], nonce: [UInt8], _ byteCount: UInt64
  ) -> [UInt8] {
    let recipients = DERWriter.set(recipient(identity, wrapped))
    let type = DERWriter.identifier(1, 2, 840, 113_549, 1, 7, 1)
    let algorithm = DERWriter.sequence(
      DERWriter.identifier(2, 16, 840, 1, 101, 3, 4, 1, 46),
      DERWriter.sequence(DERWriter.octetString(nonce), DERWriter.integer(codeByteCount)))
    let content = DERWriter.head(0x80, byteCount: byteCount)
    let info = enclose(0x30, type + algorithm + content, byteCount)
    let data = enclose(0x30, DERWriter.integer(0) + recipients + info, byteCount, UInt64(tailByteCount))
    let message = enclose(0xA0, data, byteCount, UInt64(tailByteCount))
    let kind = DERWriter.identifier(1, 2, 840, 113_549, 1, 9, 16, 1, 23)
    return enclose(0x30, kind + message, byteCount, UInt64(tailByteCount))
  }

  /// An element of which only the beginning is here: the content, and perhaps the tail, follow.
  private static func enclose(
    _ tag: UInt8, _ beginning: [UInt8], _ byteCount: UInt64, _ tail: UInt64 = 0
  ) -> [UInt8] {
    DERWriter.head(tag, byteCount: UInt64(beginning.count) + byteCount + tail) + beginning
  }

  /// KeyTransRecipientInfo (RFC 5652 §6.2.1).
  private static func recipient(_ identity: [UInt8], _ wrapped: [UInt8]) -> [UInt8] {
    let digest = DERWriter.sequence(DERWriter.identifier(2, 16, 840, 1, 101, 3, 4, 2, 1), DERWriter.null)
    let mask = DERWriter.sequence(DERWriter.identifier(1, 2, 840, 113_549, 1, 1, 8), digest)
    let algorithm = DERWriter.sequence(
      DERWriter.identifier(1, 2, 840, 113_549, 1, 1, 7),
      DERWriter.sequence(DERWriter.tagged(0, digest), DERWriter.tagged(1, mask)))
    return DERWriter.sequence(DERWriter.integer(0), identity, algorithm, DERWriter.octetString(wrapped))
  }
}
