import MediaCore
import RTP

/// Keeps to one stream of a peer that sends simulcast although the answer takes a single one.
///
/// The first `rid` that is seen stays (RFC 8852); streams with another one are other sizes of the same video.
struct SimulcastFilter {
  /// RFC 8851 §10 allows more, but the one-byte form holds 16 octets.
  private var chosen = InlineArray<16, UInt8>(repeating: 0)
  private var count = 0

  /// Whether a source whose packet this is may be followed.
  mutating func admits(_ header: RTPHeader, packet: RawSpan, id: UInt8?) -> Bool {
    guard let id, let range = header.extensionElement(id, in: packet), (1...16).contains(range.count) else {
      return true
    }
    var reader = ByteReader(packet.extracting(range))
    let isFirst = count == 0
    guard isFirst || count == range.count else { return false }
    count = range.count
    for index in 0..<count {
      let octet = (try? reader.readUInt8()) ?? 0
      if isFirst { chosen[index] = octet }
      guard chosen[index] == octet else { return false }
    }
    return true
  }
}
