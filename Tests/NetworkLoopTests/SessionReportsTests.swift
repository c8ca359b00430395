import MediaCore
import PeerSession
import RealtimeRuntime
import Signalling
import Testing

@testable import NetworkLoop

@Suite("What the network thread tells control", .timeLimit(.minutes(1)))
struct SessionReportsTests {
  @Test func `steps are kept in order and readings are the newest`() async {
    let reports = SessionReports()
    reports.report(.connected, of: "a")
    for round in 1...5_000 {
      reports.report(.bitrateEstimated(.kilobits(round)), of: "a")
      reports.report(.soundLossReported(percent: round % 100), of: "a")
      reports.report(.keyFrameRequested, of: "a")
    }
    reports.report(.candidateGathered("candidate:1"), of: "a")
    reports.report(.ended(.closedByPeer), of: "a")
    reports.finish()
    var steps: [NetworkEvent.Step] = []
    for await event in reports.events { steps.append(event.event) }
    #expect(steps == [.connected, .candidateGathered("candidate:1"), .ended(.closedByPeer)])
    #expect(
      await reports.readings.next()
        == ["a": SessionReading(estimate: .kilobits(5_000), soundLoss: 0, wantsKeyFrame: true)])
    #expect(await reports.readings.next() == nil)
  }

  @Test func `readings of a session that is gone are forgotten`() async {
    let reports = SessionReports()
    reports.report(.bitrateEstimated(.kilobits(100)), of: "a")
    reports.forget("a")
    reports.finish()
    #expect(await reports.readings.next() == nil)
  }
}
