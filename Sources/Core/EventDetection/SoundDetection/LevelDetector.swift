internal import MediaCore

/// Detects sound that is louder than usual.
///
/// Takes the level of each 20 ms and learns the background as a low quantile, which speech and knocks hardly move: it rises by 3
/// dB a minute at most and falls ten times as fast. Reads no clock and allocates nothing.
public struct LevelDetector: Hashable, Sendable {
  /// Decibels by which a sound has to be louder than the background.
  private let threshold: Double
  /// Decibels relative to full scale.
  private var background: Double?
  private var blocks = 0

  /// Blocks a second.
  public static var blocksPerSecond: Int { 50 }
  /// Nothing is reported before the background is known: two seconds.
  private static let learningBlocks = 100
  /// Decibels a block.
  private static let rise = 3.0 / 60 / 50
  private static let fall = 30.0 / 60 / 50
  private static let learningStep = 0.5
  /// Quieter backgrounds count as this: digital silence is no measure of a room.
  private static let quietest = -70.0

  /// - Parameter threshold: decibels, at least 3.
  public init(threshold: Double = 20) { self.threshold = max(threshold, 3) }

  /// Takes the level of 20 ms in decibels relative to full scale (0 is the loudest). Returns a score of 1 to 100 while it is
  /// louder than the background by the threshold: 50 at the threshold, 100 at 20 dB more.
  public mutating func take(level: Double) -> Int? {
    let level = max(level, Self.quietest)
    let known = background ?? level
    blocks = min(blocks + 1, Self.learningBlocks)
    background = follow(level, known)
    guard blocks >= Self.learningBlocks else { return nil }
    let excess = level - known - threshold
    return excess < 0 ? nil : min(50 + Int(saturating: excess * 2.5), 100)
  }

  private func follow(_ level: Double, _ known: Double) -> Double {
    if blocks < Self.learningBlocks { return known + min(max(level - known, -Self.learningStep), Self.learningStep) }
    return level > known ? min(known + Self.rise, level) : max(known - Self.fall, level)
  }
}
