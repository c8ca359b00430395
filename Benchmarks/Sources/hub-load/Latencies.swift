/// How long each of many things took.
struct Latencies {
  private var nanoseconds: [UInt64] = []

  mutating func add(since time: UInt64) { nanoseconds.append(monotonicTime() - time) }

  /// Milliseconds, by nearest rank; nil when there were none.
  var summary: Summary? {
    guard !nanoseconds.isEmpty else { return nil }
    let sorted = nanoseconds.sorted()
    let at = { (share: Double) in Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1e6 }
    return Summary(count: sorted.count, median: at(0.5), p99: at(0.99), greatest: at(1))
  }

  struct Summary: Encodable {
    var count: Int
    /// Milliseconds.
    var median: Double
    var p99: Double
    var greatest: Double
  }
}
