extension TimeSpan {
  /// Nanoseconds of a duration; those that do not fit become the longest span that does, less a margin for sums.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let whole = TimeSpan.seconds(seconds) + TimeSpan(nanoseconds: attoseconds / 1_000_000_000)
    self.init(nanoseconds: min(max(whole.nanoseconds, .min / 4), .max / 4))
  }
}

extension Duration {
  /// The same span, exactly.
  public init(_ span: TimeSpan) { self = .nanoseconds(span.nanoseconds) }
}
