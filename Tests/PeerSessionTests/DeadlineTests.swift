import MediaCore
import PeerSession
import Testing

@Suite struct DeadlineTests {
  @Test func `an idle session wakes for reports and consent alone`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.sessionSends = false
    call.peerSends = false
    let before = call.timeoutCount
    call.run(for: .seconds(60))
    // A report a second, a consent check each four to six seconds.
    #expect((60...85).contains(call.timeoutCount - before))
    #expect(call.end == nil)
  }

  @Test func `a running call wakes little more often`() throws {
    let call = try Call()
    call.connect()
    let before = call.timeoutCount
    call.run(for: .seconds(60))
    #expect(call.timeoutCount - before <= 85)
  }

  @Test func `no deadline stays in the past while the network is gone`() throws {
    let call = try Call()
    call.connect()
    // The outage begins with packets missing, so that NACKs and a key frame request are due.
    call.network.lossPercent = 40
    call.run(for: .seconds(1))
    call.network.lossPercent = 100
    let before = call.timeoutCount
    call.run(for: .seconds(90))
    #expect(call.end == .consentExpired)
    #expect(call.timeoutCount - before < 2_500)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a handled deadline lies in the future`(seed: UInt64) throws {
    var setup = Call.Setup()
    setup.seed = seed
    let call = try Call(setup)
    call.network.lossPercent = 15
    call.network.duplicatePercent = 5
    call.network.reordering = .milliseconds(40)
    call.network.oneWay = .milliseconds(60)
    call.connect()
    for _ in 0..<2_000 {
      call.run(for: .milliseconds(10))
      // A second call at the same instant finds nothing to do, unless more NACKs were due than fit a packet.
      for _ in 0..<5 { call.session.handleTimeout(now: call.now) }
      call.drain()
      #expect(call.session.deadline > call.now)
    }
  }
}
