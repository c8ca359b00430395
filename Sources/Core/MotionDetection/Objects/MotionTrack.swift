internal import MediaCore

/// An object that is tracked from frame to frame, and its history.
///
/// What goes somewhere counts as moving; leaves, rain and flicker end up where they began. Places are in sixteenths of a
/// cell, times in frames.
struct MotionTrack {
  private(set) var box: CellBox
  private(set) var centre: CellPoint
  private(set) var area: Int
  /// Whether it has gone far enough, straight enough.
  private(set) var isConfirmed = false
  private var contrast: Int
  private var velocity = CellPoint(x: 0, y: 0)
  private var age = 1
  private var hits = 1
  private(set) var misses = 0
  /// Where it began, and the way since then from waypoint to waypoint.
  private var anchor: CellPoint
  private var waypoint: CellPoint
  private var path: Int32 = 0
  /// Where it was at the last check for progress.
  private var milestone: CellPoint
  private var progressAge = 0

  private static let waypointSteps = 5
  private static let milestoneSteps = 30
  /// Below this distance between two milestones it stands still.
  private static let leastProgress: Int32 = 24
  private static let fewestHits = 5
  /// At the frame's edge an object grows before it moves.
  private static let leastWay: Int32 = 5 * 16
  private static let stillAfterSteps = 60

  init(_ blob: Blob) {
    box = blob.box
    centre = blob.centre
    area = blob.area
    contrast = blob.excess * 16 / max(blob.area, 1)
    (anchor, waypoint, milestone) = (centre, centre, centre)
  }

  /// Where it is expected next.
  var predicted: CellPoint {
    let frames = Int32(clamping: misses + 1)
    return CellPoint(x: centre.x + velocity.x * frames, y: centre.y + velocity.y * frames)
  }

  /// Its box there, widened by a cell.
  var predictedBox: CellBox {
    let (dx, dy) = (Int(predicted.x - centre.x) / 16, Int(predicted.y - centre.y) / 16)
    return CellBox(
      left: box.left + dx - 1, top: box.top + dy - 1, right: box.right + dx + 1, bottom: box.bottom + dy + 1)
  }

  /// How far from there it may be found, in sixteenths of a cell; one that is new may be fast.
  var gate: Int32 {
    let size = Int32(clamping: box.longerSide) * 8
    return (hits < 3 ? 7 * 16 : 3 * 16) + size + Int32(clamping: misses) * 16
  }

  /// Whether it goes somewhere, or may: its cells are not learned as background meanwhile.
  var isMoving: Bool { isConfirmed ? isProgressing : hits >= 2 && isStraight && way >= 16 }

  /// Whether it counts as motion.
  var isReported: Bool { isConfirmed && isProgressing && misses <= 3 }

  private var isProgressing: Bool { age - progressAge <= Self.stillAfterSteps }
  private var way: Int32 { centre.distance(to: anchor) }
  private var isStraight: Bool { way * 10 >= (path + centre.distance(to: waypoint)) * 7 }

  /// 0 to 100: how much it differs from the background, and how far it has gone.
  var score: Int {
    let differs = min(max(contrast - 64, 0), 128) * 60 / 128
    return differs + Int(min(way * 40 / (4 * leastWay), 40))
  }

  private var leastWay: Int32 { Self.leastWay + Int32(clamping: box.longerSide) * 4 }

  mutating func follow(_ blob: Blob) {
    let step = CellPoint(x: blob.centre.x - centre.x, y: blob.centre.y - centre.y)
    let frames = Int32(clamping: misses + 1)
    if hits == 1 {
      velocity = CellPoint(x: step.x / frames, y: step.y / frames)
    } else {
      velocity.x += (step.x / frames - velocity.x) / 3
      velocity.y += (step.y / frames - velocity.y) / 3
    }
    (box, centre, area) = (blob.box, blob.centre, blob.area)
    contrast = (contrast * 3 + blob.excess * 16 / max(blob.area, 1)) / 4
    hits += 1
    misses = 0
    grow()
    if !isConfirmed { isConfirmed = hits >= Self.fewestHits && hits * 3 >= age * 2 && way >= leastWay && isStraight }
  }

  mutating func miss() {
    misses += 1
    grow()
  }

  /// Whether it has been away for too long.
  var isLost: Bool { misses > (isConfirmed ? 10 : 3) }

  private mutating func grow() {
    age += 1
    if age % Self.waypointSteps == 0 {
      path += centre.distance(to: waypoint)
      waypoint = centre
    }
    if age % Self.milestoneSteps == 0 { passMilestone() }
  }

  private mutating func passMilestone() {
    if centre.distance(to: milestone) >= Self.leastProgress {
      progressAge = age
    } else {
      (anchor, waypoint, path) = (centre, centre, 0)
    }
    milestone = centre
  }
}
