/// Notices that most of the picture changes from one look to the next, as when a lamp is switched: then the background is
/// learned anew, and what is seen meanwhile is no motion.
struct LightWatch {
  /// Percent of the cells that differed in the last two looks.
  private var shares = (0, 0)
  private var settlingLooks = 0
  private var quietLooks = 0
  private var looksSince = 1_000

  private static let leastShare = 30
  private static let leastJump = 22
  private static let longestSettling = 20
  private static let quietShare = 8
  private static let aftermathLooks = 20

  /// Whether cells without texture may have become brighter by light alone.
  var hasJustChanged: Bool { looksSince < Self.aftermathLooks }

  /// Takes how many cells differ; returns whether the light is changing.
  mutating func isChanging(differing count: Int, of total: Int) -> Bool {
    let share = count * 100 / max(total, 1)
    defer { shares = (share, shares.0) }
    if settlingLooks == 0, share >= Self.leastShare, share - shares.1 >= Self.leastJump {
      settlingLooks = Self.longestSettling
      quietLooks = 0
    }
    guard settlingLooks > 0 else {
      looksSince = min(looksSince + 1, 1_000)
      return false
    }
    quietLooks = share < Self.quietShare ? quietLooks + 1 : 0
    settlingLooks = quietLooks >= 4 ? 0 : settlingLooks - 1
    looksSince = 0
    return true
  }
}
