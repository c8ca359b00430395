import MediaCore

/// What a cluster's bytes contain.
struct ClusterReport: Equatable {
  var timestamp: Int64 = 0
  var keyFrameMilliseconds: Int64?
  var audioFrames = 0
  var videoFrames = 0
  /// Where the last audio ends, and when the last two video frames started: those carry no duration.
  var audioEnd: Int64 = 0
  var lastFrame: Int64?
  var frameBefore: Int64?
  /// What the first key frame and the first packet say about their tracks.
  var video: WebMVideoTrack?
  var audio: WebMAudioTrack?
}

extension ClusterReport {
  /// Bytes of a cluster's ID and size.
  static let headerByteCount = 8

  /// Reads the size of the cluster that starts here, header included; `nil` if none does.
  static func clusterByteCount(at bytes: RawSpan) -> Int? {
    var reader = ByteReader(bytes)
    guard let header = try? reader.readElementHeader(), header.id == .cluster, let size = header.size,
      reader.offset == headerByteCount, size <= UInt64(WebMLayout.maximumClusterByteCount)
    else { return nil }
    return headerByteCount + Int(clamping: size)
  }

  /// Checks a cluster's content in full: CRC-32, and every element down to the last byte.
  init?(checking cluster: RawSpan) {
    var reader = ByteReader(cluster)
    guard let size = Self.clusterByteCount(at: cluster), size == cluster.byteCount,
      (try? reader.skip(Self.headerByteCount)) != nil, Self.hasValidChecksum(&reader),
      (try? read(&reader)) != nil, audioFrames + videoFrames > 0
    else { return nil }
  }

  /// Reads as much as the bytes show of a cluster's beginning, unchecked; enough to find its key frame.
  init(peeking beginning: RawSpan) {
    var reader = ByteReader(beginning)
    guard (try? reader.skip(Self.headerByteCount)) != nil else { return }
    try? read(&reader)
  }

  private static func hasValidChecksum(_ reader: inout ByteReader) -> Bool {
    guard let element = try? reader.readElementHeader(), element == ElementHeader(id: .crc32, size: 4),
      let stored = try? reader.readUInt32()
    else { return false }
    var rest = reader
    return CRC32.checksum(rest.readRemaining()) == stored.byteSwapped
  }

  private mutating func read(_ reader: inout ByteReader) throws(EBMLError) {
    while !reader.isAtEnd {
      let header = try reader.readElementHeader()
      guard let size = header.size else { throw .invalidSize }
      switch header.id {
      case .timestamp: timestamp = Int64(try reader.readUnsigned(width: Int(clamping: min(size, 7))))
      case .simpleBlock: try readBlock(&reader, size: size)
      default: try reader.skipContent(Int(clamping: size))
      }
    }
  }

  private mutating func readBlock(_ reader: inout ByteReader, size: UInt64) throws(EBMLError) {
    guard let kind = MediaKind(trackNumber: try reader.readUnsigned(width: 1) & 0x7F), size > 4 else {
      throw .invalidSize
    }
    let time = timestamp + Int64(try reader.readNumber(as: Int16.self))
    let isKeyFrame = try reader.readUnsigned(width: 1) & 0x80 != 0
    if kind == .video, isKeyFrame, keyFrameMilliseconds == nil { keyFrameMilliseconds = time }
    guard let payload = try? reader.readBytes(Int(clamping: size - 4)) else { throw .unexpectedEnd }
    switch kind {
    case .audio:
      audioFrames += 1
      audio = audio ?? WebMAudioTrack(payload)
      audioEnd = max(audioEnd, time + Int64(OpusPacket.sampleCount(payload) / 48))
    case .video:
      videoFrames += 1
      if isKeyFrame { video = video ?? WebMVideoTrack(payload) }
      frameBefore = lastFrame
      lastFrame = time
    }
  }
}

extension ClusterReport {
  /// Where the four bytes of a cluster's ID occur first.
  static func firstClusterID(in bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= 4 else { return nil }
    for offset in 0...bytes.byteCount - 4 {
      let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
      if word == ElementID.cluster.rawValue.bigEndian { return offset }
    }
    return nil
  }
}
