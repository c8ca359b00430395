import CongestionControl
import MediaCore
import PeerSession
import Testing

/// A path of 2 Mbit/s that has 400 kbit/s for a while, before each kind of peer.
@Suite struct RecoveryTests {
  /// How a peer says what it receives.
  enum Feedback: CaseIterable { case transportWide, receiverEstimate }

  private func makeCall(_ feedback: Feedback, seed: UInt64) throws -> Call {
    var setup = Call.Setup()
    setup.offer.hasTransportWide = feedback == .transportWide
    setup.offer.hasSendTime = true
    setup.isReal = false
    setup.seed = seed
    setup.sendLimit = .kilobits(1_950)
    let call = try Call(setup)
    call.network.oneWay = .milliseconds(25)
    call.network.jitter = .milliseconds(2)
    call.network.uplink = Bottleneck(rate: .kilobits(2_000))
    if feedback == .receiverEstimate { call.peer.receiverEstimate = KalmanReceiverEstimate() }
    return call
  }

  @Test(arguments: Feedback.allCases, 1...3 as ClosedRange<UInt64>)
  func `full rate is back within 8 s`(feedback: Feedback, seed: UInt64) throws {
    let call = try makeCall(feedback, seed: seed)
    let broadcast = Broadcast([call], maximum: .kilobits(1_500), habits: .lifelike, seed: seed)
    broadcast.run(for: .seconds(20))
    let fall = broadcast.now
    call.network.uplink?.rate = .kilobits(400)
    broadcast.run(for: .seconds(15))
    let rise = broadcast.now
    call.network.uplink?.rate = .kilobits(2_000)
    broadcast.run(for: .seconds(22))
    let uplink = try #require(call.network.uplink)
    let back = broadcast.rates.first { $0.at > rise && $0.kilobits >= 1_350 }
    #expect((back?.at ?? broadcast.now) - rise <= .seconds(8))
    // Two seconds after the fall the queue is gone; attempts at more make short ones.
    let delays = uplink.delays.filter { $0.at >= fall + .seconds(2) && $0.at < rise }.map(\.delay).sorted()
    #expect(delays[delays.count / 2] <= .milliseconds(100))
    #expect(delays[delays.count * 9 / 10] <= .milliseconds(150))
    if feedback == .receiverEstimate { #expect(uplink.droppedCount <= 25) }
    #expect(uplink.offeredKilobits(fall + .seconds(4)..<rise) >= 240)
  }

  /// Two browsers and an aiortc, each over a path of its own that loses a tenth both ways in 80 ms.
  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `who has no transport-wide feedback does not starve beside browsers`(seed: UInt64) throws {
    let calls = try [Feedback.transportWide, .transportWide, .receiverEstimate].enumerated().map { index, feedback in
      let call = try makeCall(feedback, seed: seed * 10 + UInt64(index))
      call.network.oneWay = .milliseconds(40)
      call.network.uplink?.rate = .kilobits(10_000)
      call.peer.receiver.patient = PatientReceiver(feedback == .transportWide ? .repeated : .onGaps)
      call.peer.receiver.reportsEstimate = false
      return call
    }
    let broadcast = Broadcast(calls, maximum: .kilobits(950), layers: 3, habits: .lifelike, seed: seed)
    broadcast.run(for: .seconds(10))
    for call in calls { call.network.lossPercent = 10 }
    broadcast.run(for: .seconds(10))
    let start = broadcast.now
    broadcast.run(for: .seconds(60))
    for (index, call) in calls.enumerated() {
      let shown = call.peer.receiver.frames.video.map(\.arrival).filter { $0 > start }
      let pauses = zip([start] + shown, shown + [broadcast.now]).map { $1 - $0 }
      #expect(pauses.max()! <= .milliseconds(1_000), "viewer \(index)")
      #expect(shown.count >= 60 * 30 * 8 / 10, "viewer \(index)")
    }
  }
}
