extension TimeSpan {
  /// Nanoseconds of a duration; those that do not fit become the longest span that does.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    self.init(nanoseconds: overflow ? .max / 4 : min(product, .max / 4) + attoseconds / 1_000_000_000)
  }
}
