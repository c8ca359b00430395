import MediaCore
import RTP

/// The common name under which this side's sources belong together (RFC 3550 §6.5.1).
struct SDESWriter {
  private let cname: [UInt8]

  init(cname: String) { self.cname = Array(cname.utf8) }

  /// Names the reporter and, where that is another source, the sound: receivers relate the streams by it.
  func write(reporter: SSRC, audio: SSRC?, to writer: inout ByteWriter) throws(InsufficientSpace) {
    let octets = cname.span
    try unsafe RTCPWriter.writeSourceDescription(ssrc: reporter, cname: octets.bytes, to: &writer)
    guard let audio, audio != reporter else { return }
    try unsafe RTCPWriter.writeSourceDescription(ssrc: audio, cname: octets.bytes, to: &writer)
  }

  /// Writes an empty receiver report and the name, with which a compound has to begin where reduced size is not agreed
  /// (RFC 5506); returns how long that is.
  func writePreamble(
    reporter: SSRC, audio: SSRC?, into buffer: inout MutableRawSpan
  ) throws(InsufficientSpace) -> Int {
    var writer = ByteWriter(overwriting: &buffer)
    let blocks = ReportBlocks()
    try RTCPWriter.writeReceiverReport(ssrc: reporter, blocks: blocks.list.span.extracting(0..<0), to: &writer)
    try write(reporter: reporter, audio: audio, to: &writer)
    return writer.count
  }
}
