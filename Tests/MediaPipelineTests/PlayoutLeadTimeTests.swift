import MediaCore
import Testing

@testable import MediaPipeline

@Suite struct PlayoutLeadTimeTests {
  private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  @Test func aBlockIsDueWhenLittleWaits() {
    #expect(PlayoutLeadTime(now: start, timeout: .seconds(3)).isStuck(now: start + .seconds(2)) == false)
    let lead = PlayoutLeadTime(now: start)
    #expect(lead.pause(.milliseconds(25), now: start) == nil)
    #expect(lead.pause(.milliseconds(30), now: start) == .milliseconds(6))
  }

  @Test func aCardThatRanDryIsGivenMore() {
    var lead = PlayoutLeadTime(now: start)
    for _ in 0..<10 { lead.noteUnderrun() }
    #expect(lead.pause(.milliseconds(45), now: start) == nil)
    #expect(lead.pause(.milliseconds(46), now: start) != nil)
  }

  @Test func aDeviceThatTakesEverythingIsFedAtThePaceOfTheClock() {
    var lead = PlayoutLeadTime(now: start)
    var blocks = 0
    while lead.pause(.zero, now: start) == nil {
      lead.noteBlock(now: start)
      blocks += 1
    }
    #expect(blocks == 21)
  }

  @Test func aCardWhoseDelayStaysIsStuck() {
    var lead = PlayoutLeadTime(now: start)
    lead.noteBlock(now: start)
    #expect(lead.pause(.seconds(2), now: start + .milliseconds(500)) != nil)
    #expect(!lead.isStuck(now: start + .milliseconds(500)))
    #expect(lead.isStuck(now: start + .milliseconds(501)))
    lead.noteBlock(now: start + .milliseconds(600))
    #expect(!lead.isStuck(now: start + .milliseconds(1_000)))
  }
}
