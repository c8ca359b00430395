/// Uses within a span of time.
public struct UseLimit: Sendable, Hashable {
  /// 1 to 1,000.
  public var count: Int
  public var span: Duration

  public init(count: Int, span: Duration) {
    self.count = count
    self.span = span
  }
}

extension UseLimit: CustomStringConvertible {
  /// Such as `5 per 10m`.
  public var description: String { "\(count) per \(durationText(span))" }
}
