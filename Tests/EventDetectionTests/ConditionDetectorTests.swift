import EventDetection
import MediaCore
import Testing

@Suite struct ConditionDetectorTests {
  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

  private func detector(
    minimumDuration: TimeSpan = .zero, minimumGap: TimeSpan = .zero
  ) -> ConditionDetector {
    ConditionDetector(
      EventTiming(
        minimumDuration: minimumDuration, post: .seconds(5), minimumGap: minimumGap, longest: .seconds(3_600)), .changes
    )
  }

  /// What each second from one to another brings about.
  private func ticks(_ detector: inout ConditionDetector, _ seconds: ClosedRange<Int64>) -> [ConditionDetector.Step] {
    seconds.flatMap { detector.tick(now: at($0)) }
  }

  @Test func aDoorIsOpenUntilItIsClosed() {
    var door = detector()
    guard case .began(let span)? = door.take(true, at: at(10)).first else { return #expect(Bool(false)) }
    #expect(span.start == at(10))
    #expect(ticks(&door, 11...300).isEmpty)
    #expect(door.take(false, at: at(301)).isEmpty)
    let ended = ticks(&door, 302...310)
    guard case .ended(let whole)? = ended.first else { return #expect(Bool(false)) }
    #expect(ended.count == 1)
    #expect(whole.end == at(301))
  }

  @Test func whoComesBackWithinPostBelongsToTheSameEvent() {
    var door = detector()
    #expect(door.take(true, at: at(0)).count == 1)
    #expect(door.take(false, at: at(10)).isEmpty)
    #expect(ticks(&door, 11...14).isEmpty)
    #expect(door.take(true, at: at(14)).isEmpty)
    #expect(ticks(&door, 15...60).isEmpty)
  }

  @Test func aShortChangeIsNone() {
    var door = detector(minimumDuration: .seconds(3))
    #expect(door.take(true, at: at(0)).isEmpty)
    #expect(door.take(false, at: at(2)).isEmpty)
    #expect(ticks(&door, 3...60).isEmpty)
    #expect(door.take(true, at: at(100)).isEmpty)
    guard case .began(let span)? = ticks(&door, 101...110).first else { return #expect(Bool(false)) }
    #expect(span.start == at(100))
  }

  @Test func afterAnEventThereIsAPause() {
    var door = detector(minimumGap: .seconds(60))
    #expect(door.take(true, at: at(0)).count == 1)
    #expect(door.take(false, at: at(10)).isEmpty)
    #expect(ticks(&door, 11...20).count == 1)
    #expect(door.take(true, at: at(30)).isEmpty)
    guard case .began(let span)? = ticks(&door, 31...80).first else { return #expect(Bool(false)) }
    #expect(span.start == at(70))
  }

  @Test func aLongOneIsCut() {
    var door = detector()
    #expect(door.take(true, at: at(0)).count == 1)
    let cut = ticks(&door, 1...4_000)
    guard case .ended? = cut.first, case .began? = cut.last else { return #expect(Bool(false)) }
    #expect(cut.count == 2)
  }

  @Test func whatIsNotKnownGoesOnForAMinute() {
    var door = detector()
    #expect(door.take(true, at: at(0)).count == 1)
    #expect(door.lose(at: at(10)).isEmpty)
    #expect(door.lose(at: at(15)).isEmpty)
    #expect(ticks(&door, 16...50).isEmpty)
    #expect(door.take(true, at: at(51)).isEmpty, "it is back")
    #expect(ticks(&door, 52...500).isEmpty)
    #expect(door.lose(at: at(501)).isEmpty)
    let ended = ticks(&door, 502...700)
    guard case .ended(let span)? = ended.first else { return #expect(Bool(false)) }
    #expect(ended.count == 1)
    #expect(span.end == at(500))
  }

  @Test func timesThatGoBackAreTakenAsTheyCome() {
    var door = detector()
    #expect(door.take(true, at: at(100)).count == 1)
    #expect(door.take(false, at: at(50)).isEmpty)
    #expect(ticks(&door, 101...120).count == 1)
    #expect(door.take(true, at: MonotonicInstant(nanoseconds: .min)).count == 1)
    _ = door.tick(now: MonotonicInstant(nanoseconds: .max))
  }
}
