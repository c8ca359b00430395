/// Seek points of a joined file: one for each track and cluster at most, thinned out when there are too many.
struct MuxedCues: Sendable {
  struct Point: Sendable {
    var milliseconds: Int64
    var trackNumber: UInt8
    /// Where the cluster starts in the file.
    var clusterOffset: UInt64
  }

  private(set) var points: [Point] = []
  /// Points of a track are at least so far from each other.
  private var spacing: Int64 = 1
  /// By track number: the time of its last point.
  private var last: [Int64]

  /// A day of two tracks with a key frame every 2 s.
  static let capacity = 86_400

  init(trackCount: Int) { last = Array(repeating: .min / 2, count: trackCount + 1) }

  mutating func offer(_ point: Point) {
    if points.count == Self.capacity { thinOut() }
    add(point)
  }

  private mutating func add(_ point: Point) {
    guard point.milliseconds - last[Int(point.trackNumber)] >= spacing else { return }
    last[Int(point.trackNumber)] = point.milliseconds
    points.append(point)
  }

  /// Doubles the spacing until half of it is free.
  private mutating func thinOut() {
    while points.count > Self.capacity / 2 {
      spacing = max(1_000, 2 * spacing)
      let old = points
      points.removeAll(keepingCapacity: true)
      for index in last.indices { last[index] = .min / 2 }
      for point in old { add(point) }
    }
  }

  /// The Cues element.
  func encode() -> [UInt8] {
    var content = EBMLWriter(capacity: points.count * 24)
    for point in points { Self.write(point, to: &content) }
    var writer = EBMLWriter(capacity: content.count + 12)
    writer.write(.cues)
    writer.writeSize(content.count)
    content.withBytes { writer.write($0) }
    return writer.bytes
  }

  /// Fixed widths, so that no nested memory is needed.
  private static func write(_ point: Point, to writer: inout EBMLWriter) {
    writer.write(.cuePoint)
    writer.writeSize(24)
    writer.writeUnsigned(.cueTime, UInt64(point.milliseconds), width: 6)
    writer.write(.cueTrackPositions)
    writer.writeSize(14)
    writer.writeUnsigned(.cueTrack, UInt64(point.trackNumber), width: 3)
    writer.writeUnsigned(
      .cueClusterPosition, point.clusterOffset - MuxedHeader.segmentContentOffset, width: 7)
  }
}
