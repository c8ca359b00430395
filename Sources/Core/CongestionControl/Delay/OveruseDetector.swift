import MediaCore

/// What the delay says about the path.
enum PathUsage {
  case normal
  /// A queue grows.
  case overuse
  /// A queue drains.
  case underuse
}

/// Compares the delay's trend with a threshold that adapts to how noisy the path is (draft-ietf-rmcat-gcc-02 §5.4; the
/// threshold's dynamics after Carlucci et al., "Analysis and Design of the Google Congestion Control", 2016).
struct OveruseDetector {
  private static var gain: Double { 4 }
  private static var raise: Double { 0.0087 }
  private static var lower: Double { 0.039 }
  /// How long a queue has to grow, in milliseconds.
  private static var timeout: Double { 10 }
  private static var limits: ClosedRange<Double> { 6...600 }
  /// Deviations this far beyond the threshold are no noise and must not raise it.
  private static var outlier: Double { 15 }

  private(set) var usage = PathUsage.normal
  private var threshold = 12.5
  private var overuseTime: Double?
  private var overuseCount = 0
  private var lastTrend = 0.0

  /// Takes the trend after a group.
  mutating func update(trend: Double, groupCount: Int, delta: GroupDelta) {
    let measure = trend * Double(groupCount) * Self.gain
    let elapsed = delta.sent.seconds * 1_000
    if measure > threshold {
      noteGrowth(elapsed, trend: trend)
    } else {
      overuseTime = nil
      overuseCount = 0
      usage = measure < -threshold ? .underuse : .normal
    }
    lastTrend = trend
    adapt(to: abs(measure), elapsed: delta.arrived.seconds * 1_000)
  }

  private mutating func noteGrowth(_ elapsed: Double, trend: Double) {
    // The first group is taken to have crossed the threshold half way.
    let time = overuseTime.map { $0 + elapsed } ?? elapsed / 2
    overuseTime = time
    overuseCount += 1
    guard time > Self.timeout, overuseCount > 1, trend >= lastTrend else { return }
    overuseTime = 0
    overuseCount = 0
    usage = .overuse
  }

  private mutating func adapt(to measure: Double, elapsed: Double) {
    guard measure <= threshold + Self.outlier else { return }
    let rate = measure < threshold ? Self.lower : Self.raise
    threshold += rate * (measure - threshold) * min(elapsed, 100)
    threshold = min(max(threshold, Self.limits.lowerBound), Self.limits.upperBound)
  }
}
