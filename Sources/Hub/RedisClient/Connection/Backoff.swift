/// Pauses between attempts to connect: each up to twice as long as the one before, from 50 ms to 3 s, with jitter so that
/// clients of one server do not come back at the same moment.
struct Backoff {
  private static let shortest = Duration.milliseconds(50)
  private static let longest = Duration.seconds(3)
  /// A connection that lived this long resets the next pause to the shortest.
  static let stableAfter = Duration.seconds(5)

  private var bound = Self.shortest

  mutating func reset() { bound = Self.shortest }

  /// Between a half and the whole of the bound, which doubles.
  mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    defer { bound = min(bound * 2, Self.longest) }
    return max(Self.shortest, bound * Double.random(in: 0.5...1, using: &generator))
  }
}
