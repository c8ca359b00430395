public import MediaCore

/// Reads the frames of a WebM file in the order of the file.
///
/// Does no I/O of its own and tolerates any bytes: Void and unknown elements are skipped, a cluster whose checksum
/// is wrong is skipped, and bytes that are no element end the file. Memory is bounded by one cluster (8 MiB). Clusters
/// need a known size, as ``WebMWriter`` and ``WebMMuxer`` give them; laced blocks and BlockGroups are not read.
///
/// Does not search for clusters after damage: repair a file first (see ``WebMScanner``).
public struct WebMDemuxer: Sendable {
  /// The tracks that the header declares; unreadable ones are skipped.
  public let tracks: [WebMTrackEntry]
  /// What was skipped so far.
  public internal(set) var damage = WebMDamage()

  var window: ScanWindow
  /// Where the next element of the Segment starts.
  var offset: UInt64
  let end: UInt64
  var cluster = ClusterCursor()

  /// Reads the header; `nil` if this is no WebM file of whole milliseconds with tracks.
  public init?<Source: WebMSource & ~Copyable>(_ source: inout Source) throws(Source.Failure) {
    var header = DemuxerHeader()
    guard try header.read(&source) else { return nil }
    tracks = header.tracks
    window = header.window
    offset = header.offset
    end = header.end
  }

  /// The first track of a kind that archives can hold.
  public func track(_ kind: MediaKind) -> WebMTrackEntry? { tracks.first { $0.kind == kind } }

  /// Reads the next frame; `nil` at the end, or where nothing more can be read.
  ///
  /// The frame's payload is there until the next call.
  public mutating func next<Source: WebMSource & ~Copyable>(
    _ source: inout Source
  ) throws(Source.Failure) -> WebMBlock? {
    while true {
      if let block = window.withBytes({ cluster.next($0) }) { return block }
      if cluster.isDamaged { damage.clusters += 1 }
      guard try loadCluster(&source) else { return nil }
    }
  }

  /// Lends a frame's bytes.
  ///
  /// - Parameter block: what the last call of `next` returned.
  public func withPayload<Result>(of block: WebMBlock, _ body: (RawSpan) -> Result) -> Result {
    window.withBytes { bytes in
      precondition(block.payload.upperBound <= bytes.byteCount, "the block is not the last that was read")
      return body(bytes.extracting(block.payload))
    }
  }

  /// Loads the next whole cluster.
  private mutating func loadCluster<Source: WebMSource & ~Copyable>(
    _ source: inout Source
  ) throws(Source.Failure) -> Bool {
    cluster = ClusterCursor()
    while offset < end {
      let element = try SegmentElement(&window, &source, at: offset, end: end)
      guard let element else {
        damage.unreadableBytes = end - offset
        return false
      }
      offset = element.end
      guard element.id == .cluster else { continue }
      guard element.contentByteCount <= UInt64(WebMLayout.maximumClusterByteCount) else {
        damage.clusters += 1
        continue
      }
      try window.load(&source, at: element.contentOffset, byteCount: Int(clamping: element.contentByteCount))
      if let cursor = window.withBytes({ ClusterCursor(checking: $0) }) {
        cluster = cursor
        return true
      }
      damage.clusters += 1
    }
    return false
  }
}

/// What a demuxer could not read.
public struct WebMDamage: Hashable, Sendable {
  /// Clusters skipped, or left before their end.
  public var clusters = 0
  /// Bytes at the end of the file that are no whole element.
  public var unreadableBytes: UInt64 = 0

  /// Whether all was read.
  public var isEmpty: Bool { clusters == 0 && unreadableBytes == 0 }
}
