import MediaCore
import Signalling
import TestSupport
import WebM

@testable import Archive

/// Everything that one stream's writer puts on the disk, in order, so that a test can stop it anywhere.
struct DiskLog {
  /// One write, which was on the disk before the next began.
  struct Operation {
    var file: Int
    var offset: Int
    var bytes: [UInt8]
  }

  /// A file after some of the operations.
  struct Snapshot {
    var bytes: [UInt8] = []
    /// Where each whole cluster ends.
    var clusterEnds: [Int] = []
    var isComplete = false
  }

  let streamID: String
  private(set) var operations: [Operation] = []
  /// What the manifest says of each complete file.
  private(set) var complete: [ArchivedFile] = []
  private var writer: WebMWriter
  private var file = 0

  init(_ streamID: String, video: [SampleFrame], audio: [SampleFrame], segmentDuration: TimeSpan?) {
    self.streamID = streamID
    writer = WebMWriter(segmentDuration: segmentDuration)
    var sounds = audio[...]
    for picture in video {
      while let sound = sounds.first, sound.milliseconds <= picture.milliseconds {
        push(.audio, sound)
        sounds.removeFirst()
      }
      push(.video, picture)
    }
    for sound in sounds { push(.audio, sound) }
    writer.finish()
    store(now: .distantFuture)
    noteFile()
  }

  private mutating func push(_ kind: MediaKind, _ frame: SampleFrame) {
    let time = RecordingStage.start + .milliseconds(frame.milliseconds)
    let header = EncodedFrameHeader(
      kind: kind, timestamp: time, duration: kind == .audio ? .milliseconds(20) : .milliseconds(100),
      isKeyFrame: frame.isKeyFrame, number: 0)
    writer.push(header, payload: frame.payload.span.bytes, now: time)
    store(now: time)
  }

  private mutating func store(now: MonotonicInstant) {
    var size = 0
    for operation in operations where operation.file == file {
      size = max(size, operation.offset + operation.bytes.count)
    }
    while true {
      switch writer.nextOutput(now: now) {
      case .nothing: return
      case .append:
        operations.append(Operation(file: file, offset: size, bytes: writer.withOutput { $0.copiedToArray() }))
        size += operations.last!.bytes.count
      case .write(let offset):
        operations.append(Operation(file: file, offset: Int(offset), bytes: writer.withOutput { $0.copiedToArray() }))
      case .nextFile:
        noteFile()
        file += 1
        size = 0
      }
    }
  }

  private mutating func noteFile() {
    let start = ((writer.firstTimestamp ?? RecordingStage.start) - RecordingStage.start).milliseconds
    complete.append(
      ArchivedFile(
        streamId: streamID, connectionData: "data of \(streamID)", filename: name(file), size: writer.fileByteCount,
        startTimeOffset: start, stopTimeOffset: start + writer.durationMilliseconds,
        videoType: writer.hasTrack(.video) ? "camera" : nil))
  }

  func name(_ file: Int) -> String { file == 0 ? "\(streamID).webm" : "\(streamID)-000\(file + 1).webm" }

  /// A file as it is before its last operations.
  func snapshot(of file: Int, withoutLast missing: Int) -> Snapshot {
    var snapshot = Snapshot()
    for operation in operations.filter({ $0.file == file }).dropLast(missing) { snapshot.apply(operation) }
    return snapshot
  }

  /// The files as they are after the first `count` operations.
  func snapshots(after count: Int) -> [Snapshot] {
    var snapshots: [Snapshot] = []
    for (index, operation) in operations.prefix(count).enumerated() {
      if operation.file == snapshots.count { snapshots.append(Snapshot()) }
      snapshots[operation.file].apply(operation)
      let isLast = index + 1 == operations.count || operations[index + 1].file != operation.file
      snapshots[operation.file].isComplete = isLast
    }
    return snapshots
  }
}

extension DiskLog.Snapshot {
  /// Carries an operation out.
  mutating func apply(_ operation: DiskLog.Operation) {
    let end = operation.offset + operation.bytes.count
    if operation.offset == bytes.count, operation.offset > 0 { clusterEnds.append(end) }
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    bytes.replaceSubrange(operation.offset..<end, with: operation.bytes)
  }
}
