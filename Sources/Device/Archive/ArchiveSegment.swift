import MediaCore
import WebM

/// One file of a stream.
struct ArchiveSegment {
  let name: String
  /// When its first frame was captured.
  var start: MonotonicInstant?
  var durationMilliseconds: Int64 = 0
  var byteCount: UInt64 = 0
  var hasVideo = false
  /// It has its index, and nothing changes it any more.
  var isComplete = false

  init(name: String) { self.name = name }

  /// Takes over what the writer says of its current file.
  mutating func update(_ writer: WebMWriter) {
    start = writer.firstTimestamp
    durationMilliseconds = writer.durationMilliseconds
    byteCount = writer.fileByteCount
    hasVideo = writer.hasTrack(.video)
  }
}
