import MediaCore

extension WebMHeader {
  /// Reads the header of a file that ``WebMWriter`` made; `nil` for anything else, damaged headers included.
  ///
  /// - Parameter bytes: the file's first 512 bytes or more.
  public init?(parsing bytes: RawSpan) {
    guard bytes.byteCount >= WebMLayout.headerByteCount else { return nil }
    let block = bytes.extracting(0..<WebMLayout.headerByteCount)
    guard let header = try? Self.parse(block), header.encode() == block.copiedToArray() else { return nil }
    self = header
  }

  /// Whether bytes are the beginning of one of our headers, of which more or less reached the disk before the power went.
  ///
  /// All have the same bytes up to the first entry of the SeekHead, but for two sizes; other muxers lay that entry out otherwise.
  static func isBeginning(_ bytes: RawSpan) -> Bool {
    let own = WebMHeader().encode()
    let found = bytes.extracting(0..<min(bytes.byteCount, firstEntryEnd)).copiedToArray()
    return !found.isEmpty
      && found.indices.allSatisfy { index in
        segmentSize.contains(index) || index == seekHeadSizeOffset || own[index] == found[index]
      }
  }

  private static let segmentSize = segmentContentOffset - 8..<segmentContentOffset
  private static let seekHeadSizeOffset = segmentContentOffset + 4
  private static let firstEntryEnd = seekHeadSizeOffset + 1 + 17

  private static func parse(_ block: RawSpan) throws(EBMLError) -> WebMHeader {
    var reader = ByteReader(block)
    guard try reader.readElementHeader() == ElementHeader(id: .ebml, size: UInt64(segmentContentOffset - 17)) else {
      throw .invalidID
    }
    try reader.skipContent(segmentContentOffset - 17)
    let segment = try reader.readElementHeader()
    guard segment.id == .segment else { throw .invalidID }
    var fields = HeaderFields()
    while !reader.isAtEnd {
      let (id, size) = try reader.readWholeElementHeader()
      guard let content = try? reader.readBytes(size) else { throw .unexpectedEnd }
      try fields.read(id, content)
    }
    return fields.header(segmentSize: segment.size)
  }
}

/// What the elements of a header say, before it is checked that the whole is one of ours.
private struct HeaderFields {
  var video: WebMVideoTrack?
  var audio: WebMAudioTrack?
  var creationDate: Int64?
  var duration: Double?
  var hasCues = false

  func header(segmentSize: UInt64?) -> WebMHeader {
    var header = WebMHeader(video: video, audio: audio, creationDate: creationDate)
    if let segmentSize, let duration, let milliseconds = Int64(exactly: duration) {
      header.completion = .init(
        fileByteCount: segmentSize + UInt64(WebMHeader.segmentContentOffset), durationMilliseconds: milliseconds,
        hasCues: hasCues)
    }
    return header
  }

  mutating func read(_ id: ElementID, _ content: RawSpan) throws(EBMLError) {
    var reader = ByteReader(content)
    switch id {
    case .seekHead, .seek, .info, .tracks, .trackEntry, .video, .audio:
      while !reader.isAtEnd {
        let (child, size) = try reader.readWholeElementHeader()
        guard let content = try? reader.readBytes(size) else { throw .unexpectedEnd }
        try read(child, content)
      }
    case .seekID: hasCues = try reader.readNumber() == ElementID.cues.rawValue || hasCues
    case .duration: duration = Double(bitPattern: try reader.readUnsigned(width: 8))
    case .dateUTC: creationDate = Int64(bitPattern: try reader.readUnsigned(width: 8))
    case .pixelWidth: video = WebMVideoTrack(width: try reader.readNumber(), height: 0)
    case .pixelHeight: video?.height = try reader.readNumber()
    case .channels: audio = WebMAudioTrack(channels: try reader.readNumber())
    default: break
    }
  }
}
