internal import MediaCore

/// How late packets come after the fastest ones, and what delay bridges that.
///
/// Like the delay manager of libwebrtc's NetEq: the latest packet of each half second goes into a histogram that
/// forgets, and the target is its 95 % quantile. At first each half second counts the same, where NetEq lets the last
/// one count twice, so that one stall raises nothing from ten seconds on. "Fastest" is measured over two seconds in
/// which packets came, so that it follows the clocks' drift and changes of the way.
struct ArrivalDelays {
  /// The steps of the histogram; its last one takes everything longer.
  private static let step = TimeSpan.milliseconds(5)
  private static let quantile: Float = 0.95
  /// Half is forgotten after 20 s.
  private static let forgetting: Float = 0.983
  private static let interval = TimeSpan.milliseconds(500)
  /// A block of 10 ms takes packets that begin up to its end.
  private static let block = TimeSpan.milliseconds(10)

  /// An interval's part of the histogram.
  private struct Entry {
    var place = 0
    var share: Float = 0
  }

  private let least: TimeSpan
  private let maximum: TimeSpan
  private var shares = InlineArray<101, Float>(repeating: 0)
  private var intervals: Float = 0
  /// One per interval over which the fastest packet is known.
  private var recent = InlineArray<4, Entry>(repeating: Entry())
  private var fastest = InlineArray<4, Int64>(repeating: .max)
  private var index = 0
  private var intervalStart: MonotonicInstant?
  private var latest = TimeSpan.zero
  private(set) var target: TimeSpan

  init(_ settings: JitterBufferSettings) {
    least = settings.leastDelay
    maximum = settings.maxDelay
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
    let ends = arrival - start >= Self.interval
    if ends { endInterval(arrival) }
    fastest[index] = min(fastest[index], offset)
    updateOrigin()
    if ends { target = min(max(bridging + Self.block, least), maximum) }
    latest = max(latest, delay(of: ticks, at: arrival))
  }

  /// The sender restarted: the jitter is still that of the network.
  mutating func restart() {
    recent = InlineArray(repeating: Entry())
    fastest = InlineArray(repeating: .max)
    origin = nil
    intervalStart = nil
    latest = .zero
  }

  private mutating func updateOrigin() {
    var least = Int64.max
    for index in fastest.indices { least = min(least, fastest[index]) }
    let rise = least.saturatingSubtracting(origin ?? least)
    origin = least
    if rise > 0 { makeRecentEarlier(by: TimeSpan(nanoseconds: rise)) }
  }

  private mutating func endInterval(_ now: MonotonicInstant) {
    record(latest)
    intervalStart = now
    latest = .zero
    index = (index + 1) % fastest.count
    fastest[index] = .max
  }

  private mutating func record(_ delay: TimeSpan) {
    intervals = min(intervals + 1, 1_000)
    let kept = min(1 - 1 / intervals, Self.forgetting)
    for index in shares.indices { shares[index] *= kept }
    for index in recent.indices { recent[index].share *= kept }
    let place = Int(clamping: min(max(0, delay.nanoseconds / Self.step.nanoseconds), Int64(shares.count - 1)))
    shares[place] += 1 - kept
    recent[index] = Entry(place: place, share: 1 - kept)
  }

  /// The path has become longer permanently: what seemed late on it was not.
  private mutating func makeRecentEarlier(by span: TimeSpan) {
    let steps = Int(clamping: span.nanoseconds / Self.step.nanoseconds)
    for index in recent.indices {
      let entry = recent[index]
      shares[entry.place] = max(0, shares[entry.place] - entry.share)
      recent[index].place = max(0, entry.place - steps)
      shares[recent[index].place] += entry.share
    }
  }

  private var bridging: TimeSpan {
    let shares = shares.span
    var sum: Float = 0
    for index in shares.indices {
      sum += shares[index]
      if sum >= Self.quantile { return Self.step * Int64(index + 1) }
    }
    return maximum
  }
}
