import Archive
import OpenSSLCrypto
import SystemSupport

/// A content as an encrypted message, any part of which can be made again. Memory does not grow with its length.
final class EncryptedContent: UploadContent {
  private static let chunkSize = 65_536

  let encryption: MessageEncryption
  private let plain: any UploadContent
  private let tail = Mutex<[UInt8]?>(nil)

  init(_ plain: any UploadContent, _ encryption: MessageEncryption) {
    self.plain = plain
    self.encryption = encryption
  }

  private var head: UInt64 { UInt64(encryption.head.count) }

  var byteCount: UInt64 { head + plain.byteCount + UInt64(MessageEncryption.tailByteCount) }

  func read(at offset: UInt64, count: Int) throws -> [UInt8] {
    let end = min(byteCount, offset.addingReportingOverflow(UInt64(clamping: count)).partialValue)
    guard offset < end else { return [] }
    if offset < head { return Array(encryption.head[Int(clamping: offset)..<Int(clamping: min(end, head))]) }
    if offset < head + plain.byteCount { return try body(from: offset - head, to: min(end - head, plain.byteCount)) }
    let start = Int(clamping: offset - head - plain.byteCount)
    return Array(try wholeTail().dropFirst(start).prefix(Int(clamping: end - offset)))
  }

  /// Blocks of the cipher have 16 octets.
  private func body(from start: UInt64, to end: UInt64) throws -> [UInt8] {
    let first = start / 16 * 16
    let count = Int(clamping: min(end - first, UInt64(Self.chunkSize)))
    var bytes = try plain.read(at: first, count: count)
    try encryption.encrypt(&bytes, at: first)
    return Array(bytes.dropFirst(Int(clamping: start - first)))
  }

  /// Takes a pass through the content, once.
  private func wholeTail() throws -> [UInt8] {
    try tail.withLock { known in
      if let known { return known }
      var offset: UInt64 = 0
      let made = try encryption.tail {
        let rest = plain.byteCount - offset
        let bytes = try plain.read(at: offset, count: Int(clamping: min(rest, UInt64(Self.chunkSize))))
        offset += UInt64(bytes.count)
        return bytes
      }
      guard offset == plain.byteCount else { throw UploadFailure.changed }
      known = made
      return made
    }
  }
}

extension ArchiveUploadRecord.Encryption {
  init(_ encryption: MessageEncryption) {
    self.init(key: encryption.key, nonce: encryption.nonce, head: encryption.head)
  }

  var message: MessageEncryption? { MessageEncryption(key: key, nonce: nonce, head: head) }
}
