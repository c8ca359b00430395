/// Brings speech to a level, slowly, and keeps peaks from clipping, at once.
struct GainControl {
  /// The level of speech before the gain, in decibels of full scale; nil before any speech.
  private(set) var speechLevel: Float?
  private var gain: Float = 1
  /// What the limiter lets through of it.
  private var limited: Float = 1

  private let target: Float?
  private static let range: ClosedRange<Float> = -6...18
  /// Decibels a block: 3 dB a second up, 10 down.
  private static let rise: Float = 0.03
  private static let fall: Float = 0.1
  private static let ceiling: Float = 0.9
  private static let recovery: Float = 0.02
  /// Quieter than this is no speech, however likely.
  private static let quietest: Float = -60

  /// - Parameter target: decibels of full scale; nil for no gain but the limiter's.
  init(target: Float?) { self.target = target }

  /// Measures a block and amplifies it in place.
  mutating func process(_ block: borrowing FloatBuffer, nearSpeech: Float) {
    measure(block, nearSpeech)
    guard target != nil else { return }
    var peak: Float = 1e-6
    for lane in 0..<Audio.block / 8 { peak = max(peak, max(block[lanes: lane].max(), -block[lanes: lane].min())) }
    let before = limited
    let allowed = min(gain, Self.ceiling / peak)
    limited = allowed < before ? allowed : before + Self.recovery * (allowed - before)
    amplify(block, from: min(before, 1 / peak), to: limited)
  }

  private mutating func measure(_ block: borrowing FloatBuffer, _ nearSpeech: Float) {
    let level = Numeric.decibels(block.power(Audio.block))
    guard nearSpeech > 0.5, level > Self.quietest else { return }
    let known = speechLevel ?? level
    // Pauses within speech count little.
    let next = known + (level > known ? 0.05 : level > known - 15 ? 0.01 : 0) * (level - known)
    speechLevel = next
    guard let target else { return }
    let wanted = min(max(target - next, Self.range.lowerBound), Self.range.upperBound)
    let now = 2 * Numeric.decibels(gain)
    gain = Numeric.amplitude(min(max(wanted, now - Self.fall), now + Self.rise))
  }

  private func amplify(_ block: borrowing FloatBuffer, from start: Float, to end: Float) {
    for lane in 0..<Audio.block / 8 {
      let share = Float(lane + 1) / Float(Audio.block / 8)
      block[lanes: lane] = block[lanes: lane] * (start + (end - start) * share)
    }
  }
}
