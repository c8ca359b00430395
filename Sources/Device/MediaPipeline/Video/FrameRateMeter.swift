internal import MediaCore
internal import Synchronization

/// Measures once a second how many frames came and went.
struct FrameRateMeter {
  /// Frames a second during the last second measured.
  private(set) var captured = 0.0
  private(set) var encoded = 0.0
  private let counters: PipelineCounters
  private var last: (time: MonotonicInstant, captured: Int, encoded: Int)

  private static let interval = TimeSpan.seconds(1)

  init(_ counters: PipelineCounters, now: MonotonicInstant) {
    self.counters = counters
    last = (now, counters.framesCaptured.load(ordering: .relaxed), counters.framesEncoded.load(ordering: .relaxed))
  }

  var deadline: MonotonicInstant { last.time + Self.interval }

  /// Returns whether a second is over and there are new figures.
  mutating func update(now: MonotonicInstant) -> Bool {
    guard now >= deadline else { return false }
    let capturedCount = counters.framesCaptured.load(ordering: .relaxed)
    let encodedCount = counters.framesEncoded.load(ordering: .relaxed)
    let seconds = (now - last.time).seconds
    captured = Double(capturedCount - last.captured) / seconds
    encoded = Double(encodedCount - last.encoded) / seconds
    last = (now, capturedCount, encodedCount)
    return true
  }
}
