/// Finds by how much sound has to be shifted to continue itself: the lag of the highest normalised cross-correlation.
///
/// Coarsely at every fourth lag over every fourth sample, then exactly around the best. Allocates only when made.
struct PitchSearch: ~Copyable {
  struct Match {
    var lag: Int
    /// −1 to 1.
    var correlation: Float
    /// Mean square of the compared samples.
    var power: Float
  }

  /// 2.5 ms, 400 Hz.
  static let shortest = 120
  /// 15 ms, 67 Hz.
  static let longest = 720
  private static let stride = 4

  private var reference: [Float]
  private var candidates: [Float]

  init() {
    reference = [Float](repeating: 0, count: Self.longest)
    candidates = [Float](repeating: 0, count: 3 * Self.longest)
  }

  /// Compares the front of the queue with the samples `lag` later.
  mutating func repetition(in queue: borrowing SampleQueue, atMost limit: Int) -> Match? {
    let longest = min(limit, Self.longest, queue.count / 2)
    guard longest >= Self.shortest else { return nil }
    let length = min(480, queue.count - longest)
    for index in 0..<length { reference[index] = queue.mono(at: index) }
    for index in 0..<length + longest { candidates[index] = queue.mono(at: index) }
    return best(Self.shortest...longest, length: length)
  }

  private func best(_ lags: ClosedRange<Int>, length: Int) -> Match {
    var best = Match(lag: lags.upperBound, correlation: -1, power: 0)
    var lag = lags.lowerBound
    while lag <= lags.upperBound {
      choose(lag, length, step: Self.stride, &best)
      lag += Self.stride
    }
    let around = max(lags.lowerBound, best.lag - 3)...min(lags.upperBound, best.lag + 3)
    best.correlation = -1
    for lag in around { choose(lag, length, step: 2, &best) }
    return best
  }

  private func choose(_ lag: Int, _ length: Int, step: Int, _ best: inout Match) {
    var product: Float = 0
    var own: Float = 1
    var other: Float = 1
    var index = 0
    while index < length {
      let (left, right) = (reference[index], candidates[lag + index])
      product += left * right
      own += left * left
      other += right * right
      index += step
    }
    let correlation = product / (own * other).squareRoot()
    guard correlation > best.correlation else { return }
    best = Match(lag: lag, correlation: correlation, power: (own + other) * Float(step) / Float(2 * length))
  }
}
