/// Monotonic time, always handed in.
public typealias Instant = ContinuousClock.Instant

extension Duration {
  /// Of times that the hub measures, which are short of any overflow.
  public var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}
