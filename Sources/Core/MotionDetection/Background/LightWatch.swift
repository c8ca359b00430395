/// Notices that most of the frame changes from one to the next, as when a lamp is switched: then the background is
/// relearned, and changes meanwhile are no motion.
struct LightWatch {
  /// Percent of the cells that differed in the last two frames.
  private var shares = (0, 0)
  private var settlingSteps = 0
  private var quietSteps = 0
  private var stepsSince = 1_000

  private static let leastShare = 30
  private static let leastJump = 22
  private static let longestSettling = 20
  private static let quietShare = 8
  private static let aftermathSteps = 20

  /// Whether cells without texture may have become brighter merely by light.
  var hasJustChanged: Bool { stepsSince < Self.aftermathSteps }

  /// Takes how many cells differ; returns whether the light is changing.
  mutating func isChanging(differing count: Int, of total: Int) -> Bool {
    let share = count * 100 / max(total, 1)
    defer { shares = (share, shares.0) }
    if settlingSteps == 0, share >= Self.leastShare, share - shares.1 >= Self.leastJump {
      settlingSteps = Self.longestSettling
      quietSteps = 0
    }
    guard settlingSteps > 0 else {
      stepsSince = min(stepsSince + 1, 1_000)
      return false
    }
    quietSteps = share < Self.quietShare ? quietSteps + 1 : 0
    settlingSteps = quietSteps >= 4 ? 0 : settlingSteps - 1
    stepsSince = 0
    return true
  }
}
