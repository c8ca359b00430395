/// How long something takes, counted as Prometheus's histograms are.
public struct DurationHistogram: Sendable, Equatable {
  /// Upper bounds in microseconds, the least first.
  public static let bounds: [Int64] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 3_000_000,
  ]

  /// How many were not longer than each bound, and longer than the one before.
  public private(set) var counts = Array(repeating: 0, count: bounds.count)
  /// Of all, also of those beyond the last bound.
  public private(set) var count = 0
  public private(set) var sum: Duration = .zero

  public init() {}

  public mutating func observe(_ duration: Duration) {
    count += 1
    sum += duration
    if let index = Self.bounds.firstIndex(where: { duration <= .microseconds($0) }) { counts[index] += 1 }
  }
}
