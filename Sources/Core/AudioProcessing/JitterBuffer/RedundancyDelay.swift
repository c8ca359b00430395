/// Whether to wait a packet longer, so that the copy of a lost packet comes in time with the one after it.
///
/// Without loss that would be delay for nothing, so it is done while losses that a copy could restore are frequent.
struct RedundancyDelay {
  /// Half is forgotten after 1,000 blocks, 10 s.
  private static let forgetting: Float = 0.999_307
  /// About two losses in ten seconds.
  private static let enough: Float = 1.8
  /// Twenty seconds after that.
  private static let few: Float = 0.5

  private var losses: Float = 0
  private(set) var isWorthwhile = false

  /// A packet was missing of which the next one holds a copy.
  mutating func noteLoss() { losses = min(losses + 1, 10) }

  mutating func noteBlock() {
    losses *= Self.forgetting
    isWorthwhile = losses > (isWorthwhile ? Self.few : Self.enough)
  }
}
