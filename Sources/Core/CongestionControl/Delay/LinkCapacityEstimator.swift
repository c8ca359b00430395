/// What the path takes, as far as that is known: the mean and deviation of what got through while queues grew.
struct LinkCapacityEstimator {
  private var mean: Double?
  /// Relative to the mean.
  private var variance = 0.01

  /// In bits a second.
  var rate: Double? { mean }

  private var deviation: Double { (variance.squareRoot()) * (mean ?? 0) }

  mutating func add(_ sample: Double) {
    guard let mean, abs(sample - mean) <= 3 * deviation else {
      self.mean = sample
      variance = 0.01
      return
    }
    let error = (mean - sample) / mean
    self.mean = 0.95 * mean + 0.05 * sample
    variance = min(max(0.95 * variance + 0.05 * error * error, 0.0025), 0.03)
  }

  /// Records that this rate got through without a queue: a little more than expected corrects the mean, and where
  /// it is a lot, the path has changed.
  mutating func notePassed(_ rate: Double) {
    guard let mean, rate > mean else { return }
    self.mean = rate > mean + 3 * deviation ? nil : rate
  }
}
