import COpenSSL
import MediaCore

/// The last flight of handshake messages, cut into datagrams, and how much of it still has to be sent.
///
/// The flight is kept after sending, since either side may need it again.
struct Flight {
  /// The largest datagram: fits every path that carries WebRTC.
  static let datagramLimit = 1_200

  private var bytes: [UInt8] = []
  private var datagrams: [Range<Int>] = []
  private var next = 0
  private var sent = SentHandshakeMessages()

  var isEmpty: Bool { bytes.isEmpty }

  /// Moves everything that OpenSSL has written out of its BIO. Returns false if there is nothing.
  mutating func takeOutput(of bio: OpaquePointer) -> Bool {
    var data: UnsafeMutablePointer<CChar>?
    let count = ls_bio_memory(bio, &data)
    guard count > 0, let data else { return false }
    // Datagrams that the owner has not fetched yet go first.
    let unsent = next < datagrams.count ? Array(bytes[datagrams[next].lowerBound...]) : []
    let output = Array(UnsafeRawBufferPointer(start: data, count: count))
    let repetition = sent.takeRepetition(before: output.span.bytes)
    bytes = unsent + output[repetition...]
    ls_bio_reset(bio)
    datagrams = RecordLayer.split(bytes.span.bytes, limit: Self.datagramLimit)
    next = 0
    return true
  }

  /// Resends everything.
  mutating func rewind() { next = 0 }

  mutating func takeDatagram(into buffer: inout MutableRawSpan) -> Int? {
    guard next < datagrams.count else { return nil }
    let range = datagrams[next]
    guard range.count <= buffer.byteCount else { return nil }
    next += 1
    bytes.withUnsafeBytes { bytes in
      buffer.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }
    return range.count
  }
}
