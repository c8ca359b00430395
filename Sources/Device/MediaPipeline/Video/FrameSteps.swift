internal import MediaCore

/// Steps frame size and rate down when the bits do not suffice for them, and up again when they do.
///
/// A rate counts by its bits for each pixel of a second. Below the lower threshold the first step that lifts it over that
/// is taken; steps back up need the higher one, and both have to hold for a while. Each change costs a key frame.
struct FrameSteps {
  struct Step: Hashable {
    /// Of width and height, in quarters.
    var quarters: Int
    var maximumRate: Double

    static let full = Step(quarters: 4, maximumRate: .infinity)
  }

  private(set) var current = Step.full
  private var hasChosen = false
  /// What has been wanted instead, and since when.
  private var wish: (step: Step, since: MonotonicInstant)?

  private static let ladder = [
    .full, Step(quarters: 3, maximumRate: .infinity), Step(quarters: 3, maximumRate: 15),
    Step(quarters: 2, maximumRate: 15), Step(quarters: 2, maximumRate: 7.5),
  ]
  /// At 640×480 and 30/s the first step comes below 276 kbit/s, and is taken back above 387 kbit/s.
  private static let tooLow = 0.03
  private static let enough = 0.042
  private static let dwellBeforeLess = TimeSpan.seconds(3)
  private static let dwellBeforeMore = TimeSpan.seconds(10)
  /// No frame is made smaller than this many rows.
  private static let fewestRows = 120

  /// Takes note of rate and frame size; returns whether ``current`` has changed.
  mutating func update(
    _ bitrate: Bitrate, width: Int, height: Int, frameRate: Double, now: MonotonicInstant
  ) -> Bool {
    let source = Source(width: width, height: height, frameRate: frameRate, bits: Double(bitrate.bitsPerSecond))
    let wanted = wantedStep(source)
    guard wanted != current else {
      (wish, hasChosen) = (nil, true)
      return false
    }
    let since = wish.map { ($0.step.isLess(than: current)) == wanted.isLess(than: current) ? $0.since : now } ?? now
    wish = (wanted, since)
    let dwell = wanted.isLess(than: current) ? Self.dwellBeforeLess : Self.dwellBeforeMore
    guard !hasChosen || now - since >= dwell else { return false }
    (current, wish, hasChosen) = (wanted, nil, true)
    return true
  }

  /// Forgets what was chosen, for another source.
  mutating func reset() { self = FrameSteps() }

  private func wantedStep(_ source: Source) -> Step {
    let density = source.density(current)
    if density < Self.tooLow { return source.step(of: Self.ladder, atLeast: Self.tooLow) }
    guard current != .full else { return current }
    let better = source.step(of: Self.ladder, atLeast: Self.enough)
    return current.isLess(than: better) ? better : current
  }

  private struct Source {
    var width: Int
    var height: Int
    var frameRate: Double
    var bits: Double

    func density(_ step: Step) -> Double {
      let pixels = Double(width * height * step.quarters * step.quarters) / 16
      return bits / (pixels * min(frameRate, step.maximumRate))
    }

    /// The first that is good enough, else the last that is possible.
    func step(of ladder: [Step], atLeast threshold: Double) -> Step {
      var chosen = Step.full
      // An iterator would be allocated in a debug build.
      for index in ladder.indices where isPossible(ladder[index]) {
        // One that changes nothing for this source is passed over.
        if density(ladder[index]) > density(chosen) { chosen = ladder[index] }
        if density(chosen) >= threshold { break }
      }
      return chosen
    }

    private func isPossible(_ step: Step) -> Bool {
      step == .full || height * step.quarters / 4 >= FrameSteps.fewestRows
    }
  }
}

extension FrameSteps.Step {
  /// Whether fewer pixels a second remain.
  fileprivate func isLess(than other: FrameSteps.Step) -> Bool {
    (quarters, maximumRate) != (other.quarters, other.maximumRate) && quarters <= other.quarters
      && maximumRate <= other.maximumRate
  }
}

/// Drops frames evenly to reach a rate.
struct RateLimiter {
  private var due: MonotonicInstant?

  /// - Parameter sourceInterval: between the incoming frames.
  mutating func accepts(_ captured: MonotonicInstant, interval: TimeSpan, sourceInterval: TimeSpan) -> Bool {
    guard let due, captured + sourceInterval / 2 >= due else {
      let isFirst = self.due == nil
      if isFirst { self.due = captured + interval }
      return isFirst
    }
    self.due = captured > due + interval ? captured + interval : due + interval
    return true
  }
}
