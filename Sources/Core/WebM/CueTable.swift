import MediaCore

/// One place to which a player can seek.
struct CuePoint: Hashable, Sendable {
  var milliseconds: Int64
  var kind: MediaKind
  /// Where the cluster starts in the file.
  var clusterOffset: UInt64
}

/// Seek points of a file, evenly thinned out so that they always fit the reserved space.
///
/// When the table is full, every second point goes and from then on every second candidate is skipped; a day-long
/// file with a key frame every 4 s ends up with one point every 128 s at worst. Allocates nothing after `init`.
struct CueTable: Sendable {
  static let capacity = 1024

  private(set) var points: [CuePoint] = []
  private var stride = 1
  private var candidates = 0

  init() { points.reserveCapacity(Self.capacity) }

  mutating func offer(_ point: CuePoint) {
    defer { candidates += 1 }
    guard candidates % stride == 0 else { return }
    if points.count == Self.capacity { thinOut() }
    if candidates % stride == 0 { points.append(point) }
  }

  /// Forgets points to clusters at or behind `offset`.
  mutating func removePoints(from offset: UInt64) {
    points.removeAll { $0.clusterOffset >= offset }
  }

  private mutating func thinOut() {
    for index in 0..<Self.capacity / 2 { points[index] = points[2 * index] }
    points.removeLast(Self.capacity / 2)
    stride *= 2
  }
}

extension CueTable {
  private static let pointByteCount = 20
  /// Bytes of the Cues element's header, which is written last.
  static let headerByteCount = 12

  /// The Cues' ID and size.
  func encodeHeader() -> [UInt8] {
    var writer = EBMLWriter(capacity: Self.headerByteCount)
    writer.write(.cues)
    writer.writeSize(points.count * Self.pointByteCount, width: 8)
    return writer.bytes
  }

  /// The Cues' content, and the Void after it that fills the reserved space.
  func encodeBody() -> [UInt8] {
    var writer = EBMLWriter(capacity: WebMLayout.cuesByteCount)
    for point in points { Self.write(point, to: &writer) }
    writer.writeVoid(total: WebMLayout.cuesByteCount - Self.headerByteCount - writer.count)
    return writer.bytes
  }

  private static func write(_ point: CuePoint, to writer: inout EBMLWriter) {
    writer.write(.cuePoint)
    writer.writeSize(pointByteCount - 2)
    writer.writeUnsigned(.cueTime, UInt64(point.milliseconds), width: 4)
    writer.write(.cueTrackPositions)
    writer.writeSize(10)
    writer.writeUnsigned(.cueTrack, UInt64(point.kind.trackNumber))
    let position = point.clusterOffset - UInt64(WebMHeader.segmentContentOffset)
    writer.writeUnsigned(.cueClusterPosition, position, width: 5)
  }

  /// A Void over the whole reserved space, as it is before a file is finished.
  static func encodeReservation() -> [UInt8] {
    var writer = EBMLWriter(capacity: WebMLayout.cuesByteCount)
    writer.writeVoid(total: WebMLayout.cuesByteCount)
    return writer.bytes
  }
}
