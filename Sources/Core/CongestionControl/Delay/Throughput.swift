import MediaCore

/// What arrived in the last half second, in buckets of 50 ms.
struct Throughput {
  private static var bucket: Int64 { 50_000_000 }
  private static var bucketCount: Int64 { 10 }

  private var octets = InlineArray<10, Int>(repeating: 0)
  private var first: Int64?
  private var newest: Int64 = 0
  /// The newest arrival, in nanoseconds, and its octets.
  private var latest: Int64 = 0
  private var latestByteCount = 0
  /// The highest rates of the second that runs and of the one before it.
  private var highest = 0.0
  private var highestBefore = 0.0
  private var second: Int64 = 0

  /// Counts a packet that arrived at `time` on one clock or other.
  mutating func add(_ byteCount: Int, at time: TimeSpan) {
    // Half of all peers' clocks report negative times (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1).
    let index = time.nanoseconds.saturatingSubtracting(time.nanoseconds < 0 ? Self.bucket - 1 : 0) / Self.bucket
    guard let first, abs(index - newest) < 40 else {
      self = Throughput()
      self.first = index
      newest = index
      latest = time.nanoseconds
      latestByteCount = byteCount
      octets[Self.slot(index)] = byteCount
      return
    }
    if time.nanoseconds >= latest { (latest, latestByteCount) = (time.nanoseconds, byteCount) }
    guard index > newest - Self.bucketCount, index >= first else { return }
    while newest < index {
      newest += 1
      octets[Self.slot(newest)] = 0
    }
    octets[Self.slot(index)] += byteCount
    noteHighest()
  }

  private mutating func noteHighest() {
    guard newest - (first ?? newest) >= Self.bucketCount, let rate = bitsPerSecond else { return }
    if newest / 20 != second {
      second = newest / 20
      highestBefore = highest
      highest = 0
    }
    highest = max(highest, rate)
  }

  private static func slot(_ index: Int64) -> Int { Int((index % bucketCount + bucketCount) % bucketCount) }

  /// In bits a second over the buckets up to the newest arrival, so that packets that were held up and come all at once
  /// count for the time in which none came; nil until 150 ms have passed.
  var bitsPerSecond: Double? { rate(over: Self.bucketCount) }

  /// As ``bitsPerSecond``, for the last quarter of a second: the throughput while a queue grows, without earlier
  /// packets.
  var recent: Double? { rate(over: Self.bucketCount / 2) }

  private func rate(over bucketCount: Int64) -> Double? {
    guard let first, newest - first >= 3 else { return nil }
    let oldest = max(first, newest - bucketCount + 1)
    // The time ends with a packet and begins anywhere: on the average half a packet is too much.
    var sum = -latestByteCount / 2
    let octets = octets.span
    for index in oldest...newest { sum += octets[Self.slot(index)] }
    return Double(max(0, sum)) * 8 / (Double(latest - oldest * Self.bucket) / 1e9)
  }

  /// Forgets how much got through before a queue stood: it was too much.
  mutating func forgetBest() {
    highest = 0
    highestBefore = 0
  }

  /// The highest rate over half a second within the last one to two seconds.
  var best: Double? { bitsPerSecond.map { max($0, highest, highestBefore) } }
}
