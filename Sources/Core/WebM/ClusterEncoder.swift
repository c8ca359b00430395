import MediaCore

/// Turns staged frames into one Cluster: known size, CRC-32, Timestamp, SimpleBlocks in time order.
struct ClusterEncoder {
  /// What became of the frames, for seeking and statistics.
  struct Summary {
    var firstMilliseconds: Int64 = 0
    /// Where the media of the cluster ends.
    var endMilliseconds: Int64 = 0
    /// The first video key frame.
    var keyFrameMilliseconds: Int64?
    var audioFrames = 0
    var videoFrames = 0
  }

  private(set) var output = EBMLWriter(capacity: 512 * 1024)
  /// Media time of the file's zero; of the first file set when its first cluster is closed.
  private(set) var origin: Int64?
  /// Indices into the stage's frames in the order in which they are written.
  private var order: [Int] = []
  private var last: [2 of Int64] = [-1, -1]

  private static let checksumByteCount = 6
  /// Where the Timestamp's value stands in a cluster: behind ID and size, the CRC-32, and its own ID and size.
  private static let timestampOffset = ClusterReport.headerByteCount + checksumByteCount + 2
  private static let timestampByteCount = 4

  init() { order.reserveCapacity(512) }

  /// Later frames belong to a new file, whose zero is at this media time.
  mutating func beginFile(at origin: Int64) {
    self.origin = origin
    last = [-1, -1]
  }

  /// Encodes the frames before `cut`, of which there is at least one, into `output`.
  mutating func encode(_ stage: ClusterStage, before cut: Int64) -> Summary {
    sort(stage.frames, before: cut)
    let first = stage.frames[order[0]].time
    let origin = self.origin ?? first
    self.origin = origin
    let base = max(0, milliseconds(first, origin))
    writeHeader(stage.frames, base: base)
    output.writeUnsigned(.timestamp, UInt64(base), width: Self.timestampByteCount)
    var summary = Summary(firstMilliseconds: base, endMilliseconds: base)
    for index in order { writeBlock(stage.frames[index], stage.payloads, base: base, &summary) }
    writeChecksum()
    return summary
  }

  private mutating func writeChecksum() {
    let offset = ClusterReport.headerByteCount
    let checksum = output.withBytes { CRC32.checksum($0.extracting(offset + Self.checksumByteCount..<$0.byteCount)) }
    output.overwriteLittleEndian(checksum, at: offset + 2)
  }

  /// Lets the cluster in `output` be the first of a new file, whose zero is the cluster's.
  mutating func beginFile(with summary: Summary) {
    let base = summary.firstMilliseconds
    origin = origin?.saturatingAdding(base.saturatingMultiplied(by: 1_000_000))
    for index in 0..<2 { last[index] = max(-1, last[index] - base) }
    output.overwriteBigEndian(0, at: Self.timestampOffset, width: Self.timestampByteCount)
    writeChecksum()
  }

  /// Insertion sort: frames are nearly in order. Video comes before audio of the same time, so that a cluster
  /// that a key frame opens starts with it.
  private mutating func sort(_ frames: [StagedFrame], before cut: Int64) {
    order.removeAll(keepingCapacity: true)
    for index in frames.indices where frames[index].time < cut {
      var position = order.count
      order.append(index)
      while position > 0, Self.precedes(frames[index], frames[order[position - 1]]) {
        order[position] = order[position - 1]
        position -= 1
      }
      order[position] = index
    }
  }

  private static func precedes(_ one: StagedFrame, _ other: StagedFrame) -> Bool {
    one.time == other.time ? one.kind == .video && other.kind == .audio : one.time < other.time
  }

  private func milliseconds(_ time: Int64, _ origin: Int64) -> Int64 {
    let difference = time - origin
    return difference >= 0 ? difference / 1_000_000 : -1
  }

  /// Writes the cluster's ID and size and an empty CRC-32 element.
  private mutating func writeHeader(_ frames: [StagedFrame], base: Int64) {
    let timestampByteCount = 6
    var size = Self.checksumByteCount + timestampByteCount
    for index in order { size += Self.blockByteCount(payload: frames[index].count) }
    output.removeAll()
    output.write(.cluster)
    output.writeSize(size, width: 4)
    output.write(.crc32)
    output.writeSize(4)
    output.writeBigEndian(0, width: 4)
  }

  private static func blockByteCount(payload: Int) -> Int { 1 + EBMLWriter.sizeWidth(payload + 4) + 4 + payload }

  /// Writes a SimpleBlock (RFC 9559 §10.2): track number, time within the cluster, flags, frame.
  private mutating func writeBlock(
    _ frame: StagedFrame, _ payloads: [UInt8], base: Int64, _ summary: inout Summary
  ) {
    let index = Int(frame.kind.rawValue)
    let time = max(milliseconds(frame.time, origin ?? frame.time), last[index] + 1, base)
    last[index] = time
    output.write(.simpleBlock)
    output.writeSize(frame.count + 4)
    output.writeBigEndian(UInt64(frame.kind.trackNumber) | 0x80, width: 1)
    output.writeBigEndian(UInt64(bitPattern: time - base), width: 2)
    output.writeBigEndian((frame.isKeyFrame ? 0x80 : 0) | (frame.isDiscardable ? 0x01 : 0), width: 1)
    unsafe output.write(payloads.span.bytes.extracting(frame.offset..<frame.offset + frame.count))
    summary.note(frame, time: time)
  }
}

extension ClusterEncoder.Summary {
  /// The same, with times that count from its first frame.
  var asFirst: Self {
    var summary = self
    summary.firstMilliseconds = 0
    summary.endMilliseconds -= firstMilliseconds
    summary.keyFrameMilliseconds = keyFrameMilliseconds.map { $0 - firstMilliseconds }
    return summary
  }

  fileprivate mutating func note(_ frame: StagedFrame, time: Int64) {
    endMilliseconds = max(endMilliseconds, time + max(0, frame.duration) / 1_000_000)
    switch frame.kind {
    case .audio: audioFrames += 1
    case .video:
      videoFrames += 1
      if frame.isKeyFrame, keyFrameMilliseconds == nil { keyFrameMilliseconds = time }
    }
  }
}
