import EventDetection
import MediaCore
import Testing

@Suite struct EventTriggerTests {
  typealias Trigger = EventTrigger<Int>

  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
  }

  /// Signals every 100 ms, from and to, in milliseconds.
  private func feed(_ trigger: inout Trigger, _ times: ClosedRange<Int64>, score: Int = 50) -> [Trigger.Step] {
    stride(from: times.lowerBound, through: times.upperBound, by: 100).flatMap {
      trigger.take(Trigger.Signal(score: score), at: at($0))
    }
  }

  @Test func shortSignalsAreNoEvent() {
    var trigger = Trigger()
    #expect(feed(&trigger, 0...400).isEmpty)
    #expect(feed(&trigger, 2_000...2_400).isEmpty)
    #expect(!trigger.isActive)
  }

  @Test func eventsSpanFromTheFirstSignalToTheLast() throws {
    var trigger = Trigger()
    guard case .began(let begun) = try #require(feed(&trigger, 1_000...1_500).first) else {
      return #expect(Bool(false))
    }
    #expect(begun.start == at(1_000))
    #expect(trigger.nextDeadline == at(6_500))
    #expect(trigger.tick(now: at(6_499)).isEmpty)
    guard case .ended(let span) = try #require(trigger.tick(now: at(6_500)).first) else { return #expect(Bool(false)) }
    #expect(span.end == at(1_500))
    #expect(trigger.nextDeadline == nil)
  }

  @Test func signalsThatComeBackBelongToTheSameEvent() {
    var trigger = Trigger()
    #expect(feed(&trigger, 0...1_000).count == 1)
    #expect(feed(&trigger, 5_000...5_500).isEmpty)
    #expect(trigger.nextDeadline == at(10_500))
  }

  @Test func thePeakAndItsPlaceAreKept() {
    var trigger = Trigger()
    _ = feed(&trigger, 0...1_000, score: 40)
    let steps = trigger.take(Trigger.Signal(score: 90, place: 7), at: at(1_100))
    _ = trigger.take(Trigger.Signal(score: 60, place: 8), at: at(1_200))
    guard case .peaked(let peaked) = steps.first, case .ended(let span) = trigger.finish().first else {
      return #expect(Bool(false))
    }
    #expect(peaked.peak.score == 90)
    #expect(span.peak.place == 7)
    #expect(span.peakTime == at(1_100))
    #expect(span.end == at(1_200))
  }

  @Test func theGapKeepsEventsApart() {
    var trigger = Trigger(EventTiming(minimumDuration: .zero, post: .seconds(1), minimumGap: .seconds(10)))
    #expect(trigger.take(Trigger.Signal(score: 1), at: at(0)).count == 1)
    #expect(trigger.take(nil, at: at(1_000)).count == 1)
    #expect(trigger.take(Trigger.Signal(score: 1), at: at(9_000)).isEmpty)
    #expect(trigger.take(Trigger.Signal(score: 1), at: at(10_000)).count == 1)
  }

  @Test func whatNeverEndsIsCut() {
    var trigger = Trigger(EventTiming(longest: .seconds(5)))
    let steps = feed(&trigger, 0...12_000)
    #expect(steps.count { if case .began = $0 { true } else { false } } == 3)
    #expect(steps.count { if case .ended = $0 { true } else { false } } == 2)
  }

  @Test func timeGoesForward() {
    var trigger = Trigger(EventTiming(minimumDuration: .zero))
    _ = trigger.take(Trigger.Signal(score: 1), at: at(5_000))
    _ = trigger.take(Trigger.Signal(score: 1), at: at(1_000))
    guard case .ended(let span) = trigger.finish().first else { return #expect(Bool(false)) }
    #expect(span.end == at(5_000))
  }
}
