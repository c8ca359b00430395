import CongestionControl
import MediaCore
import PeerSession
import Testing

@Suite struct RateScenarioTests {
  private func makeCall(_ rate: Bitrate?, seed: UInt64 = 1, _ change: (inout Call.Setup) -> Void = { _ in }) throws
    -> Call
  {
    var setup = Call.Setup()
    setup.offer.hasTransportWide = true
    setup.isReal = false
    setup.seed = seed
    change(&setup)
    let call = try Call(setup)
    call.network.oneWay = .milliseconds(25)
    call.network.uplink = rate.map { Bottleneck(rate: $0) }
    return call
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `the rate follows the path down and up again`(seed: UInt64) throws {
    let call = try makeCall(.kilobits(2_000), seed: seed)
    let broadcast = Broadcast([call], maximum: .kilobits(1_700))
    broadcast.run(for: .seconds(10))
    #expect(broadcast.rates.last!.kilobits >= 1_600)
    let fall = broadcast.now
    call.network.uplink?.rate = .kilobits(400)
    broadcast.run(for: .seconds(15))
    let rise = broadcast.now
    call.network.uplink?.rate = .kilobits(2_000)
    broadcast.run(for: .seconds(22))
    let uplink = try #require(call.network.uplink)
    #expect(uplink.offeredKilobits(fall + .seconds(2)..<fall + .seconds(4)) <= 400)
    #expect(uplink.longestDelay(fall + .seconds(4)..<rise) <= .milliseconds(150))
    // What there is gets used.
    #expect(uplink.offeredKilobits(fall + .seconds(6)..<rise) >= 240)
    #expect(uplink.offeredKilobits(rise + .seconds(20)..<rise + .seconds(22)) >= 1_650)
    #expect(broadcast.rates.last!.kilobits >= 1_600)
  }

  @Test func `a peer that wants little is sent no more, however wide its path is`() throws {
    let call = try makeCall(.kilobits(5_000)) { $0.offer.videoBandwidth = ["b=AS:400", "b=TIAS:400000"] }
    let broadcast = Broadcast([call], maximum: .kilobits(1_700))
    broadcast.run(for: .seconds(10))
    #expect((200...400).contains(broadcast.rates.last!.kilobits))
    let uplink = try #require(call.network.uplink)
    #expect(uplink.offeredKilobits(broadcast.now - .seconds(2)..<broadcast.now) <= 440)
  }

  /// Frames that differ in size, key frames without being asked for, an encoder that takes its time, pictures that at times
  /// need little, a router that holds half a second.
  @Test(arguments: [1, 2, 3, 4] as [UInt64], [EncoderHabits.lifelike, .restless])
  func `what encoders really do makes no queue either`(seed: UInt64, habits: EncoderHabits) throws {
    let call = try makeCall(.kilobits(2_000), seed: seed) { $0.sendLimit = .kilobits(1_950) }
    call.network.jitter = .milliseconds(2)
    call.network.uplink?.queueLimit = .milliseconds(500)
    // Reference times of 24 bits: below zero here, above it there.
    if seed > 2 { call.peer.clockOffset = .seconds(-600_000) }
    let layers = seed % 2 == 0 ? 3 : 1
    let broadcast = Broadcast([call], maximum: .kilobits(1_500), layers: layers, habits: habits, seed: seed)
    broadcast.owner.floor = .kilobits(150)
    broadcast.run(for: .seconds(11))
    let fall = broadcast.now
    call.network.uplink?.rate = .kilobits(400)
    broadcast.run(for: .seconds(20))
    let rise = broadcast.now
    call.network.uplink?.rate = .kilobits(2_000)
    broadcast.run(for: .seconds(20))
    let uplink = try #require(call.network.uplink)
    #expect(uplink.offeredKilobits(fall + .seconds(2)..<fall + .seconds(3)) <= 400)
    // The link itself takes 24 ms for a packet.
    #expect(uplink.longestDelay(fall + .seconds(4)..<rise) <= .milliseconds(175))
    #expect(uplink.offeredKilobits(fall + .seconds(4)..<rise) >= 280)
    #expect(broadcast.rates.contains { $0.at > rise && $0.at <= rise + .seconds(20) && $0.kilobits >= 1_350 })
    let shown = call.peer.receiver.frames.video.map(\.arrival).filter { $0 > fall + .seconds(4) && $0 < rise }
    #expect(zip([fall + .seconds(4)] + shown, shown).allSatisfy { $1 - $0 <= .milliseconds(500) })
  }

  @Test(arguments: [3, 1])
  func `a slow viewer does not take the picture from a fast one`(layers: Int) throws {
    let slow = try makeCall(.kilobits(150), seed: 5)
    let fast = try makeCall(.kilobits(2_000), seed: 6)
    let broadcast = Broadcast([slow, fast], maximum: .kilobits(800), layers: layers)
    broadcast.run(for: .seconds(10))
    let start = broadcast.now
    let count = broadcast.frameCount
    broadcast.run(for: .seconds(30))
    let frames = fast.peer.receiver.frames
    let shown = frames.video.count { $0.arrival > start }
    #expect(Double(shown) >= 0.95 * Double(broadcast.frameCount - count))
    #expect(frames.isIntactAndInOrder(.video) && frames.isDecodable)
    #expect(broadcast.rates.filter { $0.at > start }.allSatisfy { $0.kilobits >= 760 })
    // The slow one hears everything, in time, and sees a picture now and then.
    let heard = slow.peer.receiver.frames
    #expect(heard.audio.count { $0.arrival > start } >= 30 * 50 * 95 / 100)
    #expect(slow.network.uplink!.longestDelay(start..<broadcast.now) <= .milliseconds(600))
    let pictures = heard.video.filter { $0.arrival > start }
    #expect((1...8).contains(pictures.count))
    #expect(pictures.allSatisfy { $0.number != nil })
  }

  @Test func `a viewer of middling rate gets fewer pictures, all of them decodable`() throws {
    let middle = try makeCall(.kilobits(480), seed: 7)
    let fast = try makeCall(.kilobits(3_000), seed: 8)
    let broadcast = Broadcast([middle, fast], maximum: .kilobits(800), layers: 3)
    broadcast.run(for: .seconds(10))
    let start = broadcast.now
    broadcast.run(for: .seconds(30))
    #expect(broadcast.rates.last!.kilobits >= 760)
    let pictures = middle.peer.receiver.frames.video.filter { $0.arrival > start }
    // Those of the base layer at least, which is a quarter of them.
    #expect(pictures.count >= 30 * 30 / 4 * 9 / 10)
    #expect(pictures.count <= 30 * 30 * 3 / 4)
    #expect(pictures.allSatisfy { $0.number != nil })
    // Nothing was missed: what was left out has no numbers.
    #expect(middle.session.statistics.packetsResent == 0)
    #expect(middle.peer.receiver.frames.longestFreeze(.video) <= .milliseconds(400))
    // The path widens, and it gets them all.
    middle.network.uplink?.rate = .kilobits(3_000)
    broadcast.run(for: .seconds(20))
    let widened = broadcast.now
    broadcast.run(for: .seconds(5))
    #expect(middle.peer.receiver.frames.video.count { $0.arrival > widened } >= 140)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `5 percent loss at 100 ms neither freezes nor starves`(seed: UInt64) throws {
    let call = try makeCall(.kilobits(2_000), seed: seed)
    call.network.oneWay = .milliseconds(50)
    let broadcast = Broadcast([call], maximum: .kilobits(800))
    call.network.lossPercent = 5
    broadcast.run(for: .seconds(60))
    let frames = call.peer.receiver.frames
    #expect(Double(frames.video.count) >= 0.9 * Double(broadcast.frameCount))
    #expect(frames.longestFreeze(.video) <= .milliseconds(500))
    #expect(frames.isIntactAndInOrder(.video) && frames.isDecodable)
    #expect(frames.audio.count >= 60 * 50 * 92 / 100)
    #expect(broadcast.rates.filter { $0.at > broadcast.rates[0].at + .seconds(10) }.allSatisfy { $0.kilobits >= 600 })
    #expect(call.events.contains { if case .soundLossReported(let percent) = $0.event { percent > 2 } else { false } })
  }

  enum Trouble: CaseIterable {
    case reordering, duplicates, feedbackLoss, clockAhead, clockBehind, jitter, longDelay, bursts
  }

  @Test(arguments: Trouble.allCases)
  func `the estimate stays sane`(trouble: Trouble) throws {
    let call = try makeCall(.kilobits(1_200), seed: 9) {
      $0.sendLimit = .kilobits(2_500)
    }
    switch trouble {
    case .reordering: call.network.reordering = .milliseconds(15)
    case .duplicates: call.network.duplicatePercent = 5
    case .feedbackLoss: call.network.returnLossPercent = 20
    case .clockAhead: call.peer.clockOffset = .seconds(40_000_000)
    case .clockBehind: call.peer.clockOffset = .seconds(-900)
    case .jitter: call.network.jitter = .milliseconds(20)
    case .longDelay: call.network.oneWay = .milliseconds(200)
    case .bursts: break
    }
    let broadcast = Broadcast([call], maximum: .kilobits(2_000))
    if trouble == .bursts {
      // A loss of one percent, three datagrams at a time.
      let burst = BurstLoss(entering: 1, leaving: 80)
      call.network.bursts = (burst, burst)
    }
    broadcast.run(for: .seconds(20))
    let start = broadcast.now
    broadcast.run(for: .seconds(30))
    let uplink = try #require(call.network.uplink)
    // Between a good half and all of what the path takes.
    let offered = uplink.offeredKilobits(start..<broadcast.now)
    #expect((600...1_250).contains(offered), "\(trouble): \(offered)")
    let delays = uplink.delays.filter { $0.at > start }
    let late = delays.count { $0.delay > .milliseconds(250) }
    #expect(late * 20 <= delays.count, "\(trouble): \(late) of \(delays.count)")
  }

  @Test func `a key frame is spread and sound does not wait for it`() throws {
    let call = try makeCall(.kilobits(2_000))
    let broadcast = Broadcast([call], maximum: .kilobits(800))
    broadcast.run(for: .seconds(10))
    let start = call.now
    let header = EncodedFrameHeader(
      kind: .video, timestamp: start, duration: .zero, isKeyFrame: true, number: broadcast.frameCount)
    call.send(header, payload: TestFrame.video(broadcast.frameCount, isKeyFrame: true, byteCount: 60_000))
    call.run(for: .milliseconds(800))
    let uplink = try #require(call.network.uplink)
    let packets = uplink.octets.filter { $0.at >= start && $0.count > 500 }
    #expect(packets.count >= 50)
    #expect(packets.last!.at - packets[0].at >= .milliseconds(80))
    #expect(uplink.longestDelay(start..<call.now) <= .milliseconds(160))
    #expect(call.peer.receiver.frames.video.last?.number == broadcast.frameCount)
    let sound = call.peer.receiver.frames.audio.filter { $0.arrival > start }
    #expect(zip(sound, sound.dropFirst()).allSatisfy { $1.arrival - $0.arrival <= .milliseconds(160) })
  }

  @Test func `without transport-wide feedback the receiver's own estimate counts`() throws {
    var setup = Call.Setup()
    setup.isReal = false
    let call = try Call(setup)
    let broadcast = Broadcast([call], maximum: .kilobits(800))
    #expect(broadcast.owner.encoderRate == .kilobits(800))
    // It counts as soon as more than that is sent.
    broadcast.run(for: .seconds(1))
    call.peer.sendReceiveLimit(.kilobits(300), now: call.now)
    broadcast.run(for: .seconds(1))
    #expect((220...260).contains(broadcast.owner.encoderRate.bitsPerSecond / 1_000))
    call.peer.sendReceiveLimit(.kilobits(2_000), now: call.now)
    broadcast.run(for: .seconds(1))
    #expect(broadcast.owner.encoderRate == .kilobits(800))
  }
}
