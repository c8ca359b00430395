/// The first block of a file: everything that is not media or index (RFC 9559 §5).
///
/// Encodes to exactly 512 bytes for any content, so that a later state overwrites an earlier one in place: a track
/// that starts late takes the place of a Void of its size.
public struct WebMHeader: Hashable, Sendable {
  /// The first track; nil until a frame has come.
  public var video: WebMVideoTrack?
  /// The second track; nil while no sound has come.
  public var audio: WebMAudioTrack?
  /// When the first frame was captured, in nanoseconds since 2001-01-01 UTC; `nil` when the clock cannot be trusted.
  public var creationDate: Int64?
  /// The properties of a finished file; `nil` while it grows.
  public var completion: Completion?

  /// Values known only at the end of a recording.
  public struct Completion: Hashable, Sendable {
    /// Octets of the whole file.
    public var fileByteCount: UInt64
    /// From the first frame to the end of the last.
    public var durationMilliseconds: Int64
    /// Whether an index stands behind the clusters.
    public var hasCues: Bool

    /// Takes the values unchecked.
    public init(fileByteCount: UInt64, durationMilliseconds: Int64, hasCues: Bool) {
      self.fileByteCount = fileByteCount
      self.durationMilliseconds = durationMilliseconds
      self.hasCues = hasCues
    }
  }

  /// A file that grows, unless there is a `completion`.
  public init(
    video: WebMVideoTrack? = nil, audio: WebMAudioTrack? = nil, creationDate: Int64? = nil,
    completion: Completion? = nil
  ) {
    self.video = video
    self.audio = audio
    self.creationDate = creationDate
    self.completion = completion
  }
}

extension WebMHeader {
  /// Offset of the Segment's content, which positions in SeekHead and Cues count from.
  static let segmentContentOffset = 48
  private static let seekHeadByteCount = 72

  /// Encodes the 512 bytes.
  func encode() -> [UInt8] {
    var writer = EBMLWriter(capacity: WebMLayout.headerByteCount)
    writeDocumentHeader(&writer)
    writeSegmentHeader(&writer)
    var info = EBMLWriter(capacity: 128)
    info.writeInfo(duration: completion?.durationMilliseconds, creationDate: creationDate)
    writeSeekHead(&writer, infoByteCount: info.count)
    info.withBytes { writer.write($0) }
    writeTracks(&writer)
    writer.writeVoid(total: WebMLayout.headerByteCount - writer.count)
    return writer.bytes
  }

  func writeDocumentHeader(_ writer: inout EBMLWriter) {
    writer.writeMaster(.ebml) { header in
      header.writeUnsigned(.ebmlVersion, 1)
      header.writeUnsigned(.ebmlReadVersion, 1)
      header.writeUnsigned(.ebmlMaxIDLength, 4)
      header.writeUnsigned(.ebmlMaxSizeLength, 8)
      header.writeString(.docType, "webm")
      header.writeUnsigned(.docTypeVersion, 4)
      header.writeUnsigned(.docTypeReadVersion, 2)
    }
  }

  private func writeSegmentHeader(_ writer: inout EBMLWriter) {
    writer.write(.segment)
    if let completion {
      writer.writeSize(Int(clamping: completion.fileByteCount) - Self.segmentContentOffset, width: 8)
    } else {
      writer.writeUnknownSize()
    }
  }

  private func writeSeekHead(_ writer: inout EBMLWriter, infoByteCount: Int) {
    let start = writer.count
    writer.writeMaster(.seekHead) { head in
      head.writeSeek(.info, position: UInt64(Self.seekHeadByteCount), width: 4)
      head.writeSeek(.tracks, position: UInt64(Self.seekHeadByteCount + infoByteCount), width: 4)
      if completion?.hasCues == true {
        head.writeSeek(.cues, position: UInt64(WebMLayout.cuesOffset - Self.segmentContentOffset), width: 4)
      }
    }
    writer.writeVoid(total: Self.seekHeadByteCount - (writer.count - start))
  }
}

extension EBMLWriter {
  /// - Parameters:
  ///   - position: counted from the Segment's content.
  ///   - width: octets of it.
  mutating func writeSeek(_ id: ElementID, position: UInt64, width: Int) {
    writeMaster(.seek) { seek in
      seek.writeUnsigned(.seekID, UInt64(id.rawValue), width: 4)
      seek.writeUnsigned(.seekPosition, position, width: width)
    }
  }

  /// - Parameters:
  ///   - duration: milliseconds; nil leaves its place empty.
  ///   - creationDate: nanoseconds since 2001-01-01 UTC.
  mutating func writeInfo(duration: Int64?, creationDate: Int64?, title: String = "") {
    writeMaster(.info) { info in
      info.writeUnsigned(.timestampScale, 1_000_000)
      if let duration { info.writeFloat(.duration, Double(duration)) } else { info.writeVoid(total: 11) }
      if let creationDate { info.writeUnsigned(.dateUTC, UInt64(bitPattern: creationDate), width: 8) }
      if !title.isEmpty { info.writeText(.title, title) }
      info.writeString(.muxingApp, "LiveSessions")
      info.writeString(.writingApp, "LiveSessions")
    }
  }
}
