import MediaCore
import Testing

@testable import MediaPipeline

private func instant(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

@Suite struct FramePaceTests {
  @Test func neverDrifts() {
    var pace = FramePace(start: instant(1_000), frameRate: 30)
    var instants: [MonotonicInstant] = []
    for _ in 0...30_000 { instants.append(pace.next(now: instant(1_000))) }
    #expect(instants[30] == instant(2_000))
    #expect(instants[30_000] == instant(1_001_000))
  }

  @Test func runsAtFractionsForDays() {
    var pace = FramePace(start: instant(0), numerator: 30_000, denominator: 1_001)
    #expect(pace.next(now: instant(0)) == instant(0))
    #expect(pace.next(now: instant(0)).nanoseconds == 33_366_666)
    let week: Int64 = 7 * 86_400_000
    let late = pace.next(now: instant(week))
    #expect(late <= instant(week) && instant(week) - late < .milliseconds(34))
    #expect((pace.next(now: instant(week)) - late).nanoseconds / 1_000 == 33_366)
  }

  @Test func leavesOutWhatWasSleptThrough() {
    var pace = FramePace(start: instant(0), frameRate: 10)
    #expect(pace.next(now: instant(0)) == instant(0))
    #expect(pace.next(now: instant(5_050)) == instant(5_000))
    #expect(pace.next(now: instant(5_050)) == instant(5_100))
  }
}

extension FramePaceTests {
  /// Sound of a machine that stood still for two seconds.
  @Test func makesUpForWhatIsWithinItsPatience() {
    var pace = FramePace(start: instant(0), frameRate: 50, maxLag: .seconds(10))
    _ = pace.next(now: instant(0))
    #expect((0..<105).map { _ in pace.next(now: instant(2_080)) } == (1...105).map { instant($0 * 20) })
  }
}

@Suite struct ReopeningTests {
  @Test func growsAndBeginsAnew() {
    var delay = Backoff.reopening
    #expect((0..<5).map { _ in delay.next().milliseconds } == [250, 500, 1_000, 1_500, 1_500])
    delay.reset()
    #expect(delay.next() == .milliseconds(250))
  }
}

@Suite struct ToneGeneratorTests {
  @Test func isContinuousAcrossBlocks() {
    var whole = ToneGenerator(frequency: 997)
    var pieces = ToneGenerator(frequency: 997)
    var expected = [Int16](repeating: 0, count: 96_000)
    var span = expected.mutableSpan
    whole.fill(&span, channels: 1)
    var block = [Int16](repeating: 0, count: 960)
    for index in 0..<100 {
      span = block.mutableSpan
      pieces.fill(&span, channels: 1)
      #expect(block == Array(expected[index * 960..<(index + 1) * 960]))
    }
  }

  @Test func isTheSameInBothChannels() {
    var tone = ToneGenerator(frequency: 1_000)
    var samples = [Int16](repeating: 0, count: 96)
    var span = samples.mutableSpan
    tone.fill(&span, channels: 2)
    #expect(stride(from: 0, to: 96, by: 2).allSatisfy { samples[$0] == samples[$0 + 1] })
    #expect(samples.max() == Int16((Double(Int16.max) / 4).rounded()))
  }
}
