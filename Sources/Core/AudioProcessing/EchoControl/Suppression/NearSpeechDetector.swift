/// The probability of near-end speech, from how far the signal exceeds what echo and noise explain.
struct NearSpeechDetector {
  /// 0 to 1.
  private(set) var probability: Float = 0
  private var hold = 0
  /// How often there was speech in the last half second, which makes more of it likelier.
  private var recent: Float = 0

  private static let low: Float = 0.3
  private static let span: Float = 0.9
  private static let recentBonus: Float = 1.1
  private static let recentMemory: Float = 0.98
  /// Blocks for which speech is taken to continue (hangover), as between syllables.
  private static let holdBlocks = 18
  private static let release: Float = 0.1

  /// - Parameters:
  ///   - excess: the mean over bands of the binary logarithm of the signal to the explained part.
  ///   - trust: how far the expected echo may be believed; where it may not, all that comes while something plays is echo.
  mutating func update(excess: Float, trust: Float, isEchoing: Bool) {
    let likely = min(max((excess - Self.low + Self.recentBonus * recent) / Self.span, 0), 1)
    recent = Self.recentMemory * recent + (1 - Self.recentMemory) * likely
    let sure = isEchoing ? likely * trust : likely
    if sure > probability {
      probability = sure
      hold = Self.holdBlocks
    } else if hold > 0 {
      hold -= 1
    } else {
      probability = max(sure, probability - Self.release)
    }
  }
}
