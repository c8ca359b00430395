import MediaCore

/// Remembers which handshake messages have left, to distinguish a new flight from a repeated one.
///
/// OpenSSL's timer follows the wall clock. When it runs out just as the peer's answer is taken, since the clock was set
/// forward or the round trip is as long as the timer, OpenSSL puts the flight that was answered before the next one.
/// OpenSSL as receiver stops at the first record of such a mixture, and the handshake would hang.
struct SentHandshakeMessages {
  private var last = -1
  private var hasChangedCipher = false

  /// How many octets at the front of `output` repeat what has left, where something new follows; otherwise 0.
  mutating func takeRepetition(before output: RawSpan) -> Int {
    var offset = 0
    var firstNew: Int?
    while let (type, length) = RecordLayer.record(at: offset, in: output) {
      if note(type, output.extracting(offset..<offset + length)) { firstNew = firstNew ?? offset }
      offset += length
    }
    return firstNew ?? 0
  }

  /// Returns whether the record is the first to carry what it carries.
  private mutating func note(_ type: UInt8, _ record: RawSpan) -> Bool {
    switch type {
    case RecordLayer.ContentType.changeCipherSpec:
      defer { hasChangedCipher = true }
      return !hasChangedCipher
    case RecordLayer.ContentType.handshake:
      guard let number = Self.messageNumber(record), number > last else { return false }
      last = number
      return true
    default:
      return false
    }
  }

  /// The message_seq of a handshake message in the clear (RFC 6347 §4.2.2); nil under encryption.
  private static func messageNumber(_ record: RawSpan) -> Int? {
    var reader = ByteReader(record)
    guard (try? reader.skip(3)) != nil, (try? reader.readUInt16()) == 0,
      (try? reader.skip(RecordLayer.headerSize - 5 + 4)) != nil, let number = try? reader.readUInt16()
    else { return nil }
    return Int(number)
  }
}
