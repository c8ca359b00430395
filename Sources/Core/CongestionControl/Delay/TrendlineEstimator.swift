import MediaCore

/// The slope of the queueing delay over time: a line through the smoothed delays of the last groups, by least squares.
struct TrendlineEstimator {
  private static var window: Int { 20 }
  private static var smoothing: Double { 0.9 }

  /// Groups seen, at most 60: the first lines are not trusted much.
  private(set) var groupCount = 0
  private var points = InlineArray<20, (time: Double, delay: Double)>(repeating: (0, 0))
  private var pointCount = 0
  private var nextPoint = 0
  private var origin: TimeSpan?
  private var accumulated = 0.0
  private var smoothed = 0.0

  /// Takes a group; returns the growth of delay in milliseconds a millisecond, 0 until there are enough groups.
  mutating func add(_ delta: GroupDelta) -> Double {
    let origin = origin ?? delta.arrival
    self.origin = origin
    groupCount = min(groupCount + 1, 60)
    accumulated += delta.variation.seconds * 1_000
    smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * accumulated
    points[nextPoint] = ((delta.arrival - origin).seconds * 1_000, smoothed)
    nextPoint = (nextPoint + 1) % Self.window
    pointCount = min(pointCount + 1, Self.window)
    return pointCount == Self.window ? slope : 0
  }

  private var slope: Double {
    // Through a span: reading an element of the array itself copies all of it.
    let points = points.span
    var meanTime = 0.0
    var meanDelay = 0.0
    for index in 0..<pointCount {
      meanTime += points[index].time
      meanDelay += points[index].delay
    }
    meanTime /= Double(pointCount)
    meanDelay /= Double(pointCount)
    var covariance = 0.0
    var variance = 0.0
    for index in 0..<pointCount {
      let time = points[index].time - meanTime
      covariance += time * (points[index].delay - meanDelay)
      variance += time * time
    }
    return variance > 0 ? covariance / variance : 0
  }
}
