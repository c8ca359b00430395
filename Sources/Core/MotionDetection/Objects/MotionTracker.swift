/// Tracks blobs from frame to frame. All memory is allocated once; excess blobs are not tracked.
struct MotionTracker: ~Copyable {
  private(set) var tracks: [MotionTrack] = []
  /// The track of each blob, -1 for none.
  private var owners = [Int](repeating: -1, count: BlobFinder.capacity)

  private static let capacity = 24

  init() { tracks.reserveCapacity(Self.capacity) }

  mutating func clear() { tracks.removeAll(keepingCapacity: true) }

  mutating func follow(_ blobs: [Blob]) {
    for index in 0..<blobs.count { owners[index] = -1 }
    followTracks(blobs, areConfirmed: true)
    followTracks(blobs, areConfirmed: false)
    for index in 0..<blobs.count where owners[index] < 0 && !blobs[index].isLight && tracks.count < Self.capacity {
      owners[index] = tracks.count
      tracks.append(MotionTrack(blobs[index]))
    }
  }

  /// Drops tracks that have been lost for too long. Invalidates owners.
  mutating func removeLost() { tracks.removeAll { $0.isLost } }

  /// Whether a blob belongs to something that moves.
  func isMoving(blob: Int) -> Bool { owners[blob] >= 0 && tracks[owners[blob]].isMoving }

  private mutating func followTracks(_ blobs: [Blob], areConfirmed: Bool) {
    for index in 0..<tracks.count where tracks[index].isConfirmed == areConfirmed {
      if let blob = gather(blobs, for: index) ?? nearest(blobs, to: index) {
        tracks[index].follow(blob)
      } else {
        tracks[index].miss()
      }
    }
  }

  /// All that lies where the track is expected, as one: objects fall apart where they look like what is behind them.
  private mutating func gather(_ blobs: [Blob], for track: Int) -> Blob? {
    let place = tracks[track].predictedBox
    var whole: Blob?
    for index in 0..<blobs.count where owners[index] < 0 && !blobs[index].isLight && blobs[index].centreLies(in: place)
    {
      owners[index] = track
      if whole == nil { whole = blobs[index] } else { whole?.include(blobs[index]) }
    }
    return whole
  }

  private mutating func nearest(_ blobs: [Blob], to track: Int) -> Blob? {
    var best: Int?
    var least = tracks[track].gate
    let place = tracks[track].predicted
    for index in 0..<blobs.count where owners[index] < 0 && !blobs[index].isLight {
      let distance = blobs[index].centre.distance(to: place)
      guard distance < least else { continue }
      (best, least) = (index, distance)
    }
    guard let best else { return nil }
    owners[best] = track
    return blobs[best]
  }
}

extension Blob {
  fileprivate func centreLies(in place: CellBox) -> Bool {
    place.left...place.right ~= Int(centre.x) / 16 && place.top...place.bottom ~= Int(centre.y) / 16
  }

  fileprivate mutating func include(_ other: Blob) {
    box.include(other.box)
    area += other.area
    columns += other.columns
    rows += other.rows
    excess += other.excess
  }
}
