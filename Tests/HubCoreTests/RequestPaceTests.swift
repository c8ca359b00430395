import HubCore
import Testing

struct RequestPaceTests {
  private let start = Instant.now
  private let limits = ConnectionLimits()

  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  private func pace() -> RequestPace { RequestPace(limits: limits, now: start) }

  /// A request whose head comes at 0.
  private func pace(isUpload: Bool) -> RequestPace {
    var pace = pace()
    pace.received(100, now: start)
    pace.headEnded(isUpload: isUpload, now: start)
    return pace
  }

  @Test func aNewConnectionHasTheTimeOfARequest() {
    var pace = pace()
    #expect(pace.deadline == at(30))
    #expect(pace.check(now: at(29)) == .wait && pace.check(now: at(30)) == .close)
  }

  @Test func bytesNowAndThenDoNotHelpARequest() {
    var pace = pace()
    pace.received(1, now: at(5))
    for second in 6..<35 { pace.received(1, now: at(Double(second))) }
    #expect(pace.check(now: at(34)) == .wait)
    pace.headEnded(isUpload: false, now: at(34))
    pace.received(1, now: at(34.5))
    #expect(pace.check(now: at(35)) == .requestTimedOut)
  }

  @Test func aRequestTimesOutOnceWhateverFollows() {
    var pace = pace()
    pace.received(1, now: at(0))
    #expect(pace.check(now: at(30)) == .requestTimedOut)
    pace.received(1, now: at(30.1))
    pace.requestEnded(now: at(30.2))
    pace.received(1, now: at(30.3))
    #expect(pace.check(now: at(30.4)) == .wait)
    #expect(pace.check(now: at(30) + limits.stallTimeout) == .close)
  }

  @Test func aResponseHasAllTheTimeThatItWants() {
    var pace = pace(isUpload: false)
    pace.requestEnded(now: at(1))
    #expect(pace.deadline == nil && pace.check(now: at(100_000)) == .wait)
    pace.responseEnded(now: at(100_000))
    #expect(pace.deadline == at(100_075))
    #expect(pace.check(now: at(100_075)) == .close)
  }

  @Test func aRequestBehindALongResponseCountsFromItsEnd() {
    var pace = pace(isUpload: false)
    pace.requestEnded(now: at(0))
    pace.received(10, now: at(1))
    #expect(pace.deadline == nil)
    pace.responseEnded(now: at(500))
    #expect(pace.deadline == at(530))
  }

  @Test func aResponseBeforeItsRequestIsWholeDoesNotEndTheTime() {
    var pace = pace(isUpload: false)
    pace.responseEnded(now: at(10))
    #expect(pace.deadline == at(40))
  }

  @Test func anUploadLastsAsLongAsItBringsItsMinimum() {
    var pace = pace(isUpload: true)
    for second in 1...600 {
      pace.received(1_000, now: at(Double(second)))
      pace.wanted(now: at(Double(second)))
      #expect(pace.check(now: at(Double(second))) == .wait)
    }
    pace.received(30_000, now: at(601))
    pace.wanted(now: at(601))
    for second in 602...631 {
      pace.received(10, now: at(Double(second)))
      pace.wanted(now: at(Double(second)))
    }
    #expect(pace.check(now: at(632)) == .wait)
    for second in 633...665 {
      pace.received(10, now: at(Double(second)))
      pace.wanted(now: at(Double(second)))
    }
    #expect(pace.check(now: at(666)) == .requestTimedOut)
  }

  @Test func anUploadThatIsNotWantedMayWait() {
    var pace = pace(isUpload: true)
    pace.received(10, now: at(1))
    #expect(pace.deadline == nil && pace.check(now: at(5_000)) == .wait)
    pace.wanted(now: at(5_000))
    #expect(pace.deadline == at(5_029))
    #expect(pace.check(now: at(5_029)) == .requestTimedOut)
  }
}
