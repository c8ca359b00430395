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
      try stand(at: place, &source)
      guard let block = try keyFrame(of: track, &source, until: milliseconds), block.milliseconds <= milliseconds
      else { continue }
      damage = known
      return try stand(at: place, &source)
    }
    damage = known
    if let first = places.first { try stand(at: first, &source) }
  }

  private mutating func stand<Source: WebMSource & ~Copyable>(
    at place: UInt64, _ source: inout Source
  ) throws(Source.Failure) {
    offset = place
    cluster = ClusterCursor()
    try window.load(&source, at: place, byteCount: 0)
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
    let limit = offset
    while let block = try next(&source) {
      if block.trackNumber == track, block.isKeyFrame { return block }
      guard block.milliseconds <= milliseconds, offset > limit else { return nil }
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
