import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct LossTests {
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `retransmissions make up for 5 percent loss at 100 ms`(seed: UInt64) throws {
    var setup = Call.Setup()
    setup.seed = seed
    // Browsers name their sources in the offer, or not.
    if seed % 2 == 0 {
      setup.offer.videoSources = ["a=ssrc-group:FID 572662306 858993459", "a=ssrc:572662306 cname:p"]
    }
    let call = try Call(setup)
    call.network.oneWay = .milliseconds(50)
    call.connect()
    call.network.lossPercent = 5
    call.run(for: .seconds(60))
    let sent = [call.peer.sender.videoCount, call.localVideoCount]
    for (frames, sent) in zip([call.collector.frames, call.peer.receiver.frames], sent) {
      let share = Double(frames.video.count) / Double(sent)
      let freeze = frames.longestFreeze(.video)
      #expect(share >= 0.9)
      #expect(freeze <= .milliseconds(500))
      #expect(frames.isIntactAndInOrder(.video))
      #expect(frames.isDecodable)
      // Sound is not sent again.
      #expect(frames.audio.count >= 60 * 50 * 92 / 100)
      #expect(frames.isIntactAndInOrder(.audio))
    }
    #expect(call.session.statistics.packetsResent > 100)
    #expect(call.peer.sender.packetsResent > 100)
    #expect(call.timeoutCount < 60 * 60)
  }

  @Test func `without RTX packets are repeated as they were`() throws {
    var setup = Call.Setup()
    setup.offer.hasRTX = false
    let call = try Call(setup)
    call.connect()
    call.network.lossPercent = 3
    call.run(for: .seconds(20))
    let frames = call.peer.receiver.frames
    #expect(call.session.statistics.packetsResent > 10)
    #expect(Double(frames.video.count) >= 0.95 * Double(call.localVideoCount - 5))
    #expect(frames.isIntactAndInOrder(.video))
  }

  @Test func `NACKs come alone only where both agreed`() throws {
    var setup = Call.Setup()
    setup.offer.hasReducedSize = false
    let call = try Call(setup)
    call.connect()
    call.network.lossPercent = 5
    call.run(for: .seconds(10))
    #expect(call.collector.frames.video.count > 280)
  }

  @Test func `asks for a key frame when a packet stays away, at most twice a second`() throws {
    let call = try callWithoutRepair()
    let before = call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) }
    call.run(for: .seconds(10))
    let requests = call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) } - before
    #expect((18...21).contains(requests))
    call.peer.answersKeyFrameRequests = true
    call.run(for: .seconds(2))
    let last = try #require(call.collector.frames.video.last)
    #expect(call.now - last.arrival < .milliseconds(50))
    #expect(call.collector.frames.isDecodable)
    let settled = call.peer.feedback.count
    call.run(for: .milliseconds(900))
    #expect(
      call.peer.feedback.dropFirst(settled).allSatisfy { $0.item != .pictureLossIndication(media: TestPeer.videoSSRC) })
  }

  @Test func `key frame requests end when the peer stops sending`() throws {
    let call = try callWithoutRepair()
    call.peerSends = false
    call.run(for: .seconds(10))
    let before = call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) }
    #expect(before > 5)
    call.run(for: .seconds(20))
    #expect(call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) } == before)
    // It asks again as soon as there is somebody to ask.
    call.peer.answersKeyFrameRequests = true
    call.peerSends = true
    call.run(for: .seconds(1))
    #expect(call.now - call.collector.frames.video.last!.arrival < .milliseconds(50))
  }

  @Test func `what one packet can have sent again is bounded`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(20))
    let ssrc = try #require(call.peer.announcedVideo)
    let before = call.session.statistics.packetsResent
    let sent = call.session.statistics.packetsSent
    // A peer that has everything, and asks for all of it a hundred times a second.
    for _ in 0..<100 {
      let numbers = (0..<0x1_0000).map { SequenceNumber(UInt16($0)) }
      for part in 0..<16 {
        let compound = writtenOctets(capacity: 20_000) { (buffer) throws(InsufficientSpace) in
          var writer = ByteWriter(overwriting: &buffer)
          try RTCPWriter.writeNack(
            sender: TestPeer.videoSSRC, media: ssrc,
            numbers: numbers.span.extracting(part * 4_096..<(part + 1) * 4_096),
            to: &writer)
          return writer.count
        }
        call.peer.send(rtcp: compound!)
      }
      call.drain()
      call.run(for: .milliseconds(10))
    }
    let resent = call.session.statistics.packetsResent - before
    let fresh = call.session.statistics.packetsSent - sent - resent
    #expect(resent > 0)
    #expect(resent <= fresh + 256)
  }

  /// A call that has lost pictures for a second, of which the peer sends nothing again.
  private func callWithoutRepair() throws -> Call {
    let call = try Call()
    call.sessionSends = false
    call.connect()
    call.run(for: .seconds(1))
    call.peer.answersNacks = false
    call.peer.answersKeyFrameRequests = false
    call.network.lossPercent = 30
    call.run(for: .seconds(1))
    call.network.lossPercent = 0
    return call
  }
}
