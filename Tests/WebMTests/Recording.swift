import Foundation
import MediaCore
import TestSupport
import WebM

/// A file in memory, as a writer's outputs make it.
struct Recording {
  var writer: WebMWriter
  var bytes: [UInt8] = []
  /// Where each cluster ends.
  var clusterEnds: [Int] = []
  /// Offsets of overwritten bytes, in order.
  var patchOffsets: [UInt64] = []

  /// One of several files.
  struct File {
    var bytes: [UInt8]
    var firstTimestamp: MonotonicInstant?
    var durationMilliseconds: Int64
  }

  private var completeFiles: [File] = []
  /// Beyond which the disk refuses to write; the writer does not know.
  var refusedByteCount = Int.max

  /// The files that are complete, and the current one.
  var files: [File] { completeFiles + [currentFile] }

  private var currentFile: File {
    File(bytes: bytes, firstTimestamp: writer.firstTimestamp, durationMilliseconds: writer.durationMilliseconds)
  }

  init(segmentDuration: TimeSpan? = nil, timelineDate: Int64? = nil) {
    writer = WebMWriter(timelineDate: timelineDate, segmentDuration: segmentDuration)
  }

  /// Where the samples' zero lies on the media timeline.
  static let origin: Int64 = 77_000_000_000

  mutating func push(_ kind: MediaKind, _ frame: SampleFrame, now: Int64? = nil) {
    let header = EncodedFrameHeader(
      kind: kind, timestamp: MonotonicInstant(nanoseconds: Self.origin + frame.milliseconds * 1_000_000),
      duration: kind == .audio ? .milliseconds(20) : .milliseconds(33), isKeyFrame: frame.isKeyFrame, number: 0)
    let now = MonotonicInstant(nanoseconds: Self.origin + (now ?? frame.milliseconds) * 1_000_000)
    writer.push(header, payload: frame.payload.span.bytes, now: now)
    store(now: now)
  }

  mutating func store(now: MonotonicInstant) {
    while true {
      switch writer.nextOutput(now: now) {
      case .nothing: return
      case .nextFile:
        completeFiles.append(currentFile)
        (bytes, clusterEnds) = ([], [])
      case .append:
        let isHeader = bytes.isEmpty
        if writer.withOutput({ $0.byteCount }) > refusedByteCount - bytes.count {
          if writer.moveClusterToNextFile() { continue } else { return }
        }
        writer.withOutput { bytes += $0.copiedToArray() }
        if !isHeader { clusterEnds.append(bytes.count) }
      case .write(let offset):
        patchOffsets.append(offset)
        writer.withOutput { patch in
          bytes.replaceSubrange(Int(offset)..<Int(offset) + patch.byteCount, with: patch.copiedToArray())
        }
      }
    }
  }

  mutating func finish() {
    writer.finish()
    store(now: MonotonicInstant(nanoseconds: .max))
  }

  /// Both samples, merged by time as threads would deliver them.
  static func ofSamples(
    video: [SampleFrame], audio: [SampleFrame], segmentDuration: TimeSpan? = nil, isFinished: Bool = true,
    maximumFileByteCount: UInt64? = nil, refusedByteCount: Int = .max
  ) -> Recording {
    var recording = Recording(segmentDuration: segmentDuration)
    recording.writer.maximumFileByteCount = maximumFileByteCount
    recording.refusedByteCount = refusedByteCount
    var pending = audio[...]
    for picture in video {
      while let sound = pending.first, sound.milliseconds <= picture.milliseconds {
        recording.push(.audio, sound)
        pending = pending.dropFirst()
      }
      recording.push(.video, picture)
    }
    for sound in pending { recording.push(.audio, sound) }
    if isFinished { recording.finish() }
    return recording
  }

  static func ofSamples(isFinished: Bool = true) throws -> Recording {
    try ofSamples(video: SampleMedia.video(), audio: SampleMedia.audio(), isFinished: isFinished)
  }
}

/// Scans and repairs as recovery does.
func repaired(_ bytes: [UInt8]) -> (bytes: [UInt8], scan: WebMScan) {
  var source = MemorySource(bytes)
  let scan = WebMScanner.scan(&source, depth: .quick)
  var result = Array(bytes.prefix(Int(scan.validByteCount)))
  for patch in scan.repairs() {
    result.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + patch.bytes.count, with: patch.bytes)
  }
  return (result, scan)
}

/// Writes bytes to a file for other programs to read.
func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
  let folder = try TemporaryFolder()
  try Data(bytes).write(to: folder.url("file.webm"))
  return try body(folder.url("file.webm").path)
}
