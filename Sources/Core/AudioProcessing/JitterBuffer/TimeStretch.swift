internal import MediaCore

/// Decides when sound is shortened or lengthened by a pitch period, and does so (WSOLA).
///
/// Quiet passages and well-repeating ones are preferred; the further the delay is off, the less is asked of them.
struct TimeStretch: ~Copyable {
  enum Need { case none, shorten, lengthen }

  /// What the delay may be too long, and too short, before anything is done.
  private static let maxExcess = TimeSpan.milliseconds(10)
  private static let maxLack = TimeSpan.milliseconds(5)
  /// From here on each block is shortened, regardless of content.
  private static let hurry = TimeSpan.milliseconds(80)
  /// Blocks between two changes.
  private static let pause = 5
  /// Mean square of sound that counts as quiet: −50 dB of full scale.
  private static let quiet: Float = 10_000
  private static let goodCorrelation: Float = 0.9

  private(set) var search = PitchSearch()
  private var excess = TimeSpan.zero
  private var isKnown = false
  private var blocksSince = 0

  /// Takes the delay of a block; `now` of blocks that a sound card requests is uneven, so it is smoothed.
  mutating func note(_ delay: TimeSpan, target: TimeSpan) -> Need {
    let excess = delay - target
    let isFar = (excess - self.excess).magnitude > TimeSpan.milliseconds(40)
    self.excess = isKnown && !isFar ? self.excess + (excess - self.excess) / 8 : excess
    isKnown = true
    blocksSince = min(blocksSince + 1, Self.pause)
    guard blocksSince == Self.pause || self.excess > Self.hurry else { return .none }
    if self.excess > Self.maxExcess { return .shorten }
    return self.excess < .zero - Self.maxLack ? .lengthen : .none
  }

  mutating func forget() { isKnown = false }

  /// Takes a pitch period out; returns how many samples.
  mutating func shorten(_ queue: inout SampleQueue, atMost limit: Int) -> Int {
    let wanted = min(max(PitchSearch.shortest, Int(clamping: StreamClock.ticks(excess))), limit)
    guard let match = fitting(search.repetition(in: queue, atMost: wanted)) else { return 0 }
    queue.shorten(by: match.lag)
    noteChange(.zero - TimeSpan(nanoseconds: StreamClock.nanoseconds(Int64(match.lag))))
    return match.lag
  }

  /// Puts a pitch period in; returns how many samples.
  mutating func lengthen(_ queue: inout SampleQueue) -> Int {
    let wanted = max(PitchSearch.shortest, Int(clamping: -StreamClock.ticks(excess)))
    guard let match = fitting(search.repetition(in: queue, atMost: wanted)), queue.canLengthen(by: match.lag)
    else { return 0 }
    queue.lengthen(by: match.lag)
    noteChange(TimeSpan(nanoseconds: StreamClock.nanoseconds(Int64(match.lag))))
    return match.lag
  }

  private func fitting(_ match: PitchSearch.Match?) -> PitchSearch.Match? {
    guard let match else { return nil }
    let wanted = max(0.4, Self.goodCorrelation - Float(excess.magnitude.milliseconds) / 160)
    let fits = match.correlation >= wanted || match.power < Self.quiet || excess > Self.hurry
    return fits ? match : nil
  }

  private mutating func noteChange(_ change: TimeSpan) {
    excess = excess + change
    blocksSince = 0
  }
}
