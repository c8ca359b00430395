import MediaCore

/// The parts before the first cluster: EBML header, Segment, Info and Tracks.
struct DemuxerHeader {
  var window = ScanWindow()
  private(set) var tracks: [WebMTrackEntry] = []
  /// Where the element after Tracks starts.
  private(set) var offset: UInt64 = 0
  /// Where the Segment ends.
  private(set) var end: UInt64 = 0

  private static let millisecondScale: UInt64 = 1_000_000
  /// Larger ones count as damaged.
  private static let longestTracks: UInt64 = 64 * 1024
  private static let maxTracks = 126

  /// Reads on to the tracks; returns false if there are none.
  mutating func read<Source: WebMSource & ~Copyable>(_ source: inout Source) throws(Source.Failure) -> Bool {
    guard try findSegment(&source) else { return false }
    var scale = Self.millisecondScale
    while offset < end, let element = try SegmentElement(&window, &source, at: offset, end: end) {
      guard element.id != .cluster else { return false }
      offset = element.end
      guard [.info, .tracks].contains(element.id), element.contentByteCount <= Self.longestTracks else { continue }
      try window.load(&source, at: element.contentOffset, byteCount: Int(clamping: element.contentByteCount))
      if element.id == .info { scale = window.withBytes { Self.timestampScale($0) } }
      if element.id == .tracks {
        tracks = window.withBytes { Self.tracks($0) }
        return scale == Self.millisecondScale && !tracks.isEmpty
      }
    }
    return false
  }

  /// Finds the Segment behind the EBML header.
  private mutating func findSegment<Source: WebMSource & ~Copyable>(
    _ source: inout Source
  ) throws(Source.Failure) -> Bool {
    end = source.byteCount
    guard let document = try SegmentElement(&window, &source, at: 0, end: end), document.id == .ebml else {
      return false
    }
    try window.load(&source, at: document.end, byteCount: 12)
    let segment = window.withBytes { bytes -> (offset: Int, size: UInt64?)? in
      var reader = ByteReader(bytes)
      guard let header = try? reader.readElementHeader(), header.id == .segment else { return nil }
      return (reader.offset, header.size)
    }
    guard let segment else { return false }
    offset = document.end + UInt64(segment.offset)
    // A size that reaches further than the file belongs to one that was cut.
    if let size = segment.size, offset <= end, size < end - offset { end = offset + size }
    return true
  }

  private static func timestampScale(_ info: RawSpan) -> UInt64 {
    var reader = ByteReader(info)
    while let (id, size) = try? reader.readWholeElementHeader(), let content = try? reader.readBytes(size) {
      guard id == .timestampScale, size <= 8 else { continue }
      var value = ByteReader(content)
      return (try? value.readUnsigned(width: size)) ?? 0
    }
    return millisecondScale
  }

  private static func tracks(_ content: RawSpan) -> [WebMTrackEntry] {
    var tracks: [WebMTrackEntry] = []
    var reader = ByteReader(content)
    while tracks.count < maxTracks, let (id, size) = try? reader.readWholeElementHeader(),
      let entry = try? reader.readBytes(size)
    {
      if id == .trackEntry, let track = WebMTrackEntry(entry) { tracks.append(track) }
    }
    return tracks
  }
}
