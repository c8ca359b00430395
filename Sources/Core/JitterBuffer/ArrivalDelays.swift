internal import MediaCore

/// How late packets come after the fastest ones, and what delay bridges that.
///
/// As the delay manager of libwebrtc's NetEq: the latest packet of each half second goes into a histogram that forgets,
/// and the target is its 95 % quantile. "Fastest" is measured over two seconds in which packets came, so that it follows
/// the clocks' drift and changes of the way.
struct ArrivalDelays {
  /// The steps of the histogram; its last one takes everything longer.
  private static let step = TimeSpan.milliseconds(5)
  private static let quantile: Float = 0.95
  /// Half is forgotten after 20 s.
  private static let forgetting: Float = 0.983
  private static let interval = TimeSpan.milliseconds(500)
  /// A block of 10 ms takes packets that begin up to its end.
  private static let block = TimeSpan.milliseconds(10)

  private let least: TimeSpan
  private let most: TimeSpan
  private var shares = InlineArray<101, Float>(repeating: 0)
  private var intervals: Float = 0
  private var fastest = InlineArray<4, Int64>(repeating: .max)
  private var index = 0
  private var intervalStart: MonotonicInstant?
  private var latest = TimeSpan.zero
  private(set) var target: TimeSpan

  init(_ settings: JitterBufferSettings) {
    least = settings.leastDelay
    most = settings.mostDelay
    target = settings.firstDelay
  }

  /// The arrival, in nanoseconds, that the fastest packets would have had with timestamp 0; nil before the first.
  private(set) var origin: Int64?

  /// How long after the fastest packet with that timestamp `now` is.
  func delay(of ticks: Int64, at now: MonotonicInstant) -> TimeSpan {
    guard let origin else { return .zero }
    return TimeSpan(nanoseconds: now.nanoseconds &- StreamClock.nanoseconds(ticks) &- origin)
  }

  mutating func note(_ ticks: Int64, arrival: MonotonicInstant) {
    let offset = arrival.nanoseconds &- StreamClock.nanoseconds(ticks)
    let start = intervalStart ?? arrival
    intervalStart = start
    if arrival - start >= Self.interval { endInterval(arrival) }
    fastest[index] = min(fastest[index], offset)
    updateOrigin()
    latest = max(latest, delay(of: ticks, at: arrival))
  }

  /// The sender began anew: the jitter is still that of the network.
  mutating func restart() {
    fastest = InlineArray(repeating: .max)
    origin = nil
    intervalStart = nil
    latest = .zero
  }

  private mutating func updateOrigin() {
    var least = Int64.max
    for index in fastest.indices { least = min(least, fastest[index]) }
    origin = least
  }

  private mutating func endInterval(_ now: MonotonicInstant) {
    record(latest)
    target = min(max(bridging + Self.block, least), most)
    intervalStart = now
    latest = .zero
    index = (index + 1) % fastest.count
    fastest[index] = .max
  }

  private mutating func record(_ delay: TimeSpan) {
    intervals = min(intervals + 1, 1_000)
    let kept = min(1 - 2 / (intervals + 1), Self.forgetting)
    for index in shares.indices { shares[index] *= max(kept, 0) }
    let place = max(0, delay.nanoseconds / Self.step.nanoseconds)
    shares[Int(clamping: min(place, Int64(shares.count - 1)))] += 1 - max(kept, 0)
  }

  private var bridging: TimeSpan {
    var sum: Float = 0
    for index in shares.indices {
      sum += shares[index]
      if sum >= Self.quantile { return Self.step * Int64(index + 1) }
    }
    return most
  }
}
