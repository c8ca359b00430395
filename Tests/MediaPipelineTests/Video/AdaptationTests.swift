import MediaCore
import Testing

@testable import MediaPipeline

private func instant(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

@Suite struct SpeedControlTests {
  private let interval = TimeSpan.milliseconds(33)

  /// Returns the speeds that were changed to.
  private func run(_ control: inout SpeedControl, _ time: TimeSpan, pictures: Int) -> [Int] {
    var speeds: [Int] = []
    for _ in 0..<pictures where control.note(time, interval: interval) == .speed { speeds.append(control.speed) }
    return speeds
  }

  @Test func leavesAFastMachineAtTheUsualSpeed() {
    var control = SpeedControl(usual: -8)
    #expect(run(&control, .microseconds(500), pictures: 1_000) == [])
    #expect(control.speed == -8)
    #expect(control.encodeTime == .microseconds(500))
  }

  @Test func goesFasterUntilItKeepsUpAndNoFurtherThanPossible() {
    var control = SpeedControl(usual: -8)
    #expect(run(&control, .milliseconds(30), pictures: 1_000) == [-10, -12, -14, -16])
    #expect(control.speed == -16)
  }

  @Test func staysBetweenTheThresholds() {
    var control = SpeedControl(usual: -8)
    _ = run(&control, .milliseconds(30), pictures: 40)
    #expect(control.speed == -10)
    #expect(run(&control, .milliseconds(15), pictures: 1_000) == [])
    #expect(run(&control, .milliseconds(8), pictures: 1_000) == [])
  }

  @Test func returnsWhenThereIsTimeAgainButNoFurther() {
    var control = SpeedControl(usual: -8)
    _ = run(&control, .milliseconds(30), pictures: 150)
    #expect(control.speed < -8)
    #expect(run(&control, .milliseconds(2), pictures: 1_000).last == -8)
    #expect(control.speed == -8)
  }

  @Test func holdsEachSpeedForASecond() {
    var control = SpeedControl(usual: -8)
    var changes: [Int] = []
    for index in 0..<200 where control.note(.milliseconds(33), interval: interval) != .none { changes.append(index) }
    #expect(changes.count > 2)
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $1 - $0 >= 30 })
  }

  @Test func forgivesASinglePictureThatTookLong() {
    var control = SpeedControl(usual: -8)
    for index in 0..<300 { _ = control.note(index % 60 == 59 ? interval * 3 : .milliseconds(10), interval: interval) }
    #expect(control.speed == -8)
  }
}

@Suite struct EncodingThreadsTests {
  private let interval = TimeSpan.milliseconds(33)

  /// A machine whose frames take so long with one thread, and with more by so much less.
  private struct Machine {
    var single: TimeSpan
    /// Of the time with one thread, what each doubling leaves.
    var gain = 0.6

    func time(_ control: SpeedControl) -> TimeSpan {
      var time = Double(single.nanoseconds)
      var threads = 1
      while threads < control.threads { (time, threads) = (time * gain, threads * 2) }
      // Each step of speed takes a tenth off.
      for _ in 0..<(-8 - control.speed) / 2 { time *= 0.9 }
      return TimeSpan(nanoseconds: Int64(time))
    }
  }

  /// Returns how often the threads changed.
  private func run(_ control: inout SpeedControl, on machine: Machine, frames: Int) -> Int {
    var changes = 0
    for _ in 0..<frames where control.note(machine.time(control), interval: interval) == .threads { changes += 1 }
    return changes
  }

  @Test("more threads come before a faster encoder, as many as are needed")
  func sharesFirst() {
    var control = SpeedControl(usual: -8, maximumThreads: 4)
    #expect(run(&control, on: Machine(single: .milliseconds(28)), frames: 1_000) == 1)
    #expect(control.threads == 2 && control.speed == -8)
    control = SpeedControl(usual: -8, maximumThreads: 4)
    #expect(run(&control, on: Machine(single: .milliseconds(45)), frames: 1_000) == 2)
    #expect(control.threads == 4 && control.speed == -8)
  }

  @Test("a machine that is fast enough, and one with one processor, keep one thread")
  func singleThread() {
    var control = SpeedControl(usual: -8, maximumThreads: 4)
    #expect(run(&control, on: Machine(single: .milliseconds(15)), frames: 2_000) == 0)
    control = SpeedControl(usual: -8, maximumThreads: 1)
    #expect(run(&control, on: Machine(single: .milliseconds(40)), frames: 2_000) == 0)
    #expect(control.speed == -16)
  }

  @Test("threads that shorten no frame are taken back and not tried again for minutes")
  func uselessThreads() {
    var control = SpeedControl(usual: -8, maximumThreads: 2)
    let busy = Machine(single: .milliseconds(24), gain: 1.1)
    #expect(run(&control, on: busy, frames: 5_000) == 2)
    #expect(control.threads == 1 && control.speed < -8)
    #expect(control.speed > -16)
  }

  @Test("threads are given back when one suffices, more rarely each time")
  func returnsToOne() {
    var control = SpeedControl(usual: -8, maximumThreads: 2)
    var returns: [Int] = []
    for _ in 0..<3 {
      _ = run(&control, on: Machine(single: .milliseconds(28)), frames: 200)
      #expect(control.threads == 2)
      var frames = 0
      while control.threads == 2, frames < 5_000 {
        _ = run(&control, on: Machine(single: .milliseconds(8)), frames: 1)
        frames += 1
      }
      returns.append(frames)
    }
    #expect(returns[0] >= 300 && returns[0] < 400)
    #expect(returns[1] >= 600 && returns[2] >= 1_200)
  }
}

@Suite struct FrameStepsTests {
  private func step(_ kilobits: Int, _ width: Int, _ height: Int, _ rate: Double = 30) -> (Int, Double) {
    var steps = FrameSteps()
    _ = steps.update(.kilobits(kilobits), width: width, height: height, frameRate: rate, now: instant(0))
    return (steps.current.quarters, steps.current.maximumRate)
  }

  @Test func beginsWithWhatTheRateSufficesFor() {
    #expect(step(800, 640, 480) == (4, .infinity))
    #expect(step(300, 640, 480) == (4, .infinity))
    #expect(step(250, 640, 480) == (3, .infinity))
    #expect(step(150, 640, 480) == (3, 15))
    #expect(step(60, 640, 480) == (2, 15))
    #expect(step(25, 640, 480) == (2, 7.5))
    #expect(step(10, 640, 480) == (2, 7.5))
    #expect(step(1_000, 1_280, 720) == (4, .infinity))
    #expect(step(700, 1_280, 720) == (3, .infinity))
  }

  @Test func takesNoStepThatChangesNothing() {
    #expect(step(60, 640, 480, 15) == (2, 15))
    #expect(step(10, 320, 180, 7.5) == (3, .infinity))
    // Less than 120 rows are never made.
    #expect(step(10, 320, 180) == (3, 15))
    #expect(step(10, 160, 120) == (4, .infinity))
  }

  /// Runs for a while, ten times a second; returns the changes.
  private func run(
    _ steps: inout FrameSteps, _ kilobits: Int, from start: Int64, to end: Int64
  ) -> [(time: Int64, quarters: Int)] {
    var changes: [(Int64, Int)] = []
    for time in stride(from: start, to: end, by: 100) {
      let hasChanged = steps.update(.kilobits(kilobits), width: 640, height: 480, frameRate: 30, now: instant(time))
      if hasChanged { changes.append((time, steps.current.quarters)) }
    }
    return changes
  }

  @Test func dwellsBeforeEachChange() {
    var steps = FrameSteps()
    #expect(run(&steps, 800, from: 0, to: 1_000).isEmpty)
    let down = run(&steps, 200, from: 1_000, to: 60_000)
    #expect(down.count == 1 && down[0].time == 4_000 && down[0].quarters == 3)
    // Over the lower threshold, but not over the upper one.
    #expect(run(&steps, 350, from: 60_000, to: 200_000).isEmpty)
    let up = run(&steps, 450, from: 200_000, to: 260_000)
    #expect(up.count == 1 && up[0].time == 210_000 && up[0].quarters == 4)
  }

  @Test func overlooksAShortDip() {
    var steps = FrameSteps()
    var changes = run(&steps, 800, from: -1_000, to: 0).count
    for second in 0..<60 {
      let kilobits = second % 4 < 2 ? 200 : 800
      changes += run(&steps, kilobits, from: Int64(second) * 1_000, to: Int64(second + 1) * 1_000).count
    }
    #expect(changes == 0)
  }

  @Test func neverSwingsWhateverTheRate() {
    for kilobits in stride(from: 10, to: 900, by: 7) {
      var steps = FrameSteps()
      #expect(run(&steps, kilobits, from: 0, to: 60_000).count <= 1)
    }
  }
}

@Suite struct RateLimiterTests {
  private func accepted(_ rate: Double, of sourceRate: Double, seconds: Int, jitter: Int64 = 0) -> [Int] {
    var limiter = RateLimiter()
    let source = TimeSpan(nanoseconds: Int64(1e9 / sourceRate))
    let interval = TimeSpan(nanoseconds: Int64(1e9 / rate))
    return (0..<Int(sourceRate) * seconds).filter { index in
      let shift = TimeSpan.milliseconds(index % 2 == 0 ? jitter : -jitter)
      let captured = instant(1_000) + source * Int64(index) + shift
      return limiter.accepts(captured, interval: interval, sourceInterval: source)
    }
  }

  @Test func takesEverySecondFrame() {
    #expect(accepted(15, of: 30, seconds: 10) == Array(stride(from: 0, to: 300, by: 2)))
    #expect(accepted(7.5, of: 30, seconds: 10) == Array(stride(from: 0, to: 300, by: 4)))
    #expect(accepted(15, of: 30, seconds: 10, jitter: 5).count == 150)
  }

  @Test func keepsTheRateWhenItIsNoDivisor() {
    #expect((149...151).contains(accepted(15, of: 25, seconds: 10).count))
  }

  @Test func goesOnAfterAGap() {
    var limiter = RateLimiter()
    let (source, interval) = (TimeSpan.milliseconds(33), TimeSpan.milliseconds(66))
    let accepted = [0, 10_000, 10_033, 10_066].filter {
      limiter.accepts(instant($0), interval: interval, sourceInterval: source)
    }
    #expect(accepted == [0, 10_000, 10_066])
  }
}

@Suite struct PlaceholderScheduleTests {
  private func isDue(
    _ card: PlaceholderSchedule, _ time: Int64, muted: Bool = false, alone: Bool = false, key: Bool = false
  )
    -> Bool
  {
    card.isDue(at: instant(time), isMuted: muted, isWithoutSource: alone, isKeyFrameDue: key)
  }

  @Test func comesASecondAfterTheLastPictureAndThenEverySecond() {
    var card = PlaceholderSchedule(start: instant(0))
    card.noteFrame(at: instant(500))
    #expect(!isDue(card, 1_499, alone: true))
    #expect(card.deadline(now: instant(600)) == instant(1_500))
    #expect(isDue(card, 1_500))
    card.noteCard(at: instant(1_500))
    #expect(!isDue(card, 2_499))
    #expect(isDue(card, 2_500))
    #expect(isDue(card, 1_600, key: true))
    card.noteFrame(at: instant(2_600))
    #expect(!isDue(card, 2_700, key: true))
  }

  @Test func comesAtOnceWhenNothingElseCan() {
    let card = PlaceholderSchedule(start: instant(0))
    #expect(!isDue(card, 10))
    #expect(isDue(card, 10, alone: true))
    #expect(isDue(card, 10, muted: true))
  }

  @Test func waitsLongerForSlowSources() {
    var card = PlaceholderSchedule(start: instant(0))
    card.interval = .seconds(2)
    #expect(!isDue(card, 3_999))
    #expect(isDue(card, 4_000))
  }

  @Test func alwaysWaitsForSomethingThatLiesAhead() {
    var card = PlaceholderSchedule(start: instant(0))
    card.noteCard(at: instant(0))
    for time in stride(from: Int64(0), to: 999, by: 50) { #expect(card.deadline(now: instant(time)) > instant(time)) }
  }
}

@Suite struct KeyFrameScheduleTests {
  @Test func answersTwoRequestsASecond() {
    var schedule = KeyFrameSchedule()
    #expect(schedule.isDue(at: instant(0), isRequested: false, interval: nil))
    schedule.noteKeyFrame(at: instant(0))
    #expect(schedule.isDue(at: instant(100), isRequested: true, interval: nil))
    schedule.noteKeyFrame(at: instant(100))
    #expect(!schedule.isDue(at: instant(999), isRequested: true, interval: nil))
    #expect(schedule.isDue(at: instant(1_000), isRequested: true, interval: nil))
  }

  @Test func bringsThemByThemselvesOnlyWithAnInterval() {
    var schedule = KeyFrameSchedule()
    schedule.noteKeyFrame(at: instant(0))
    #expect(!schedule.isDue(at: instant(1_000_000), isRequested: false, interval: nil))
    #expect(!schedule.isDue(at: instant(3_999), isRequested: false, interval: .seconds(4)))
    #expect(schedule.isDue(at: instant(4_000), isRequested: false, interval: .seconds(4)))
    schedule.require()
    #expect(schedule.isDue(at: instant(1), isRequested: false, interval: nil))
  }
}
