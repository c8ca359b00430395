internal import MediaCore
internal import Signalling

/// A zone as cells, and what moves in it.
struct ZoneCells {
  /// Nil for the whole frame.
  private let inside: [Bool]?
  private let smallestArea: Int
  var found: MotionObservation?

  init(_ zone: MotionZone, _ grid: CellGrid) {
    inside = zone.area?.cells(grid)
    smallestArea = max(Int(saturating: zone.smallestObject * Double(grid.count)), 1)
  }

  /// Takes the track with the highest score whose middle or foot is inside.
  mutating func analyze(for tracks: [MotionTrack], in grid: CellGrid) {
    found = nil
    for track in tracks where track.isReported && track.area >= smallestArea && contains(track.box, grid) {
      guard track.score > found?.score ?? -1 else { continue }
      found = MotionObservation(score: track.score, region: FrameRegion(track.box, in: grid))
    }
  }

  private func contains(_ box: CellBox, _ grid: CellGrid) -> Bool {
    guard let inside else { return true }
    let column = (box.left + box.right) / 2
    return inside[(box.top + box.bottom) / 2 * grid.width + column] || inside[box.bottom * grid.width + column]
  }
}
