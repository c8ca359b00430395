import MediaCore

extension WebMDemuxer {
  /// Key frames are looked for in so many clusters before the time that is sought: minutes of them.
  private static let maxClustersBack = 64
  /// A CRC-32 and a Timestamp, with which clusters begin.
  private static let clusterStart = 32

  /// Goes to the last cluster with a key frame at or before a time, so that what comes before it need not be read; where
  /// there is none, to the first cluster considered. Reads the heads of the clusters alone, and a few whole.
  ///
  /// - Parameters:
  ///   - milliseconds: since the file's zero.
  ///   - track: whose key frames; of sound all packets are.
  public mutating func seek<Source: WebMSource & ~Copyable>(
    _ source: inout Source, to milliseconds: Int64, track: UInt8
  ) throws(Source.Failure) {
    let places = try clusters(&source, until: milliseconds)
    let known = damage
    for place in places.reversed() {
      stand(at: place)
      guard let block = try keyFrame(of: track, &source, until: milliseconds), block.milliseconds <= milliseconds
      else { continue }
      damage = known
      return stand(at: place)
    }
    damage = known
    stand(at: places.first ?? offset)
  }

  private mutating func stand(at place: UInt64) {
    offset = place
    cluster = ClusterCursor()
  }

  /// Where the last clusters begin that do not begin after a time, in the order of the file.
  private mutating func clusters<Source: WebMSource & ~Copyable>(
    _ source: inout Source, until milliseconds: Int64
  ) throws(Source.Failure) -> [UInt64] {
    var places: [UInt64] = []
    var position = offset
    while position < end, let element = try SegmentElement(&window, &source, at: position, end: end) {
      if element.id == .cluster {
        try window.load(&source, at: element.contentOffset, byteCount: Self.clusterStart)
        if let time = window.withBytes({ Self.timestamp($0) }) {
          guard time <= milliseconds else { break }
          if places.count == Self.maxClustersBack { places.removeFirst() }
          places.append(position)
        }
      }
      position = element.end
    }
    return places
  }

  /// The first key frame of the next cluster, unless it is later.
  private mutating func keyFrame<Source: WebMSource & ~Copyable>(
    of track: UInt8, _ source: inout Source, until milliseconds: Int64
  ) throws(Source.Failure) -> WebMBlock? {
    guard var block = try next(&source) else { return nil }
    // Behind the cluster: it moves on with the next one, which has been considered already.
    let behind = offset
    while offset == behind {
      if block.trackNumber == track, block.isKeyFrame { return block }
      guard block.milliseconds <= milliseconds, let following = try next(&source) else { return nil }
      block = following
    }
    return nil
  }

  /// The Timestamp at a cluster's beginning.
  private static func timestamp(_ content: RawSpan) -> Int64? {
    var reader = ByteReader(content)
    while let (id, size) = try? reader.readWholeElementHeader(), let value = try? reader.readBytes(size) {
      guard id == .timestamp, size <= 8 else { continue }
      var number = ByteReader(value)
      return (try? number.readUnsigned(width: size)).flatMap { Int64(exactly: $0) }
    }
    return nil
  }
}
