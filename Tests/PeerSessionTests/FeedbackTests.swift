import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct FeedbackTests {
  private func requestKeyFrame(of call: Call) throws {
    let media = try #require(call.peer.announcedVideo)
    call.peer.send(
      rtcp: writtenOctets { (buffer) throws(InsufficientSpace) in
        var writer = ByteWriter(overwriting: &buffer)
        try RTCPWriter.writePictureLossIndication(sender: TestPeer.videoSSRC, media: media, to: &writer)
        return writer.count
      }!)
    call.drain()
  }

  @Test func `a peer's request for a key frame reaches the encoder`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(2))
    let before = call.count(.keyFrameRequested)
    try requestKeyFrame(of: call)
    call.run(for: .milliseconds(20))
    #expect(call.count(.keyFrameRequested) == before + 1)
  }

  @Test func `requests in quick succession are put together, and none is forgotten`() throws {
    let call = try Call()
    call.sessionSends = false
    call.connect()
    call.run(for: .seconds(2))
    call.sendLocalVideo()
    call.run(for: .seconds(1))
    let before = call.count(.keyFrameRequested)
    for _ in 0..<40 {
      try requestKeyFrame(of: call)
      call.run(for: .milliseconds(5))
    }
    #expect(call.count(.keyFrameRequested) == before + 1)
    // The later ones are answered when the half second is over.
    call.run(for: .seconds(1))
    #expect(call.count(.keyFrameRequested) == before + 2)
    call.run(for: .seconds(5))
    #expect(call.count(.keyFrameRequested) == before + 2)
  }

  @Test func `a key frame sent meanwhile answers a request that waits`() throws {
    let call = try Call()
    call.sessionSends = false
    call.connect()
    call.sendLocalVideo()
    call.run(for: .seconds(2))
    let before = call.count(.keyFrameRequested)
    try requestKeyFrame(of: call)
    call.run(for: .milliseconds(50))
    try requestKeyFrame(of: call)
    call.run(for: .milliseconds(50))
    call.sendLocalVideo()
    call.run(for: .seconds(2))
    #expect(call.count(.keyFrameRequested) == before + 1)
  }

  @Test func `tells the receiver's limit`() throws {
    let call = try Call()
    call.connect()
    // An estimate counts where as much is offered.
    call.send(
      EncodedFrameHeader(kind: .video, timestamp: call.now, duration: .zero, isKeyFrame: true, number: 0),
      payload: TestFrame.video(0, isKeyFrame: true, byteCount: 80_000))
    call.run(for: .milliseconds(500))
    call.peer.send(rtcp: receiveLimits([.kilobits(300), .kilobits(640)]))
    call.drain()
    call.run(for: .milliseconds(50))
    #expect(call.count(.bitrateEstimated(.kilobits(640))) == 1)
    // And announces its own.
    call.run(for: .seconds(2))
    #expect(call.peer.feedbackCount { $0 == .receiverEstimatedMaximumBitrate(.kilobits(2_500)) } >= 1)
  }

  private func receiveLimits(_ limits: [Bitrate]) -> [UInt8] {
    writtenOctets(capacity: 20_000) { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      let none: [SSRC] = []
      for limit in limits {
        try RTCPWriter.writeReceiverEstimatedMaximumBitrate(
          sender: TestPeer.videoSSRC, bitrate: limit, media: none.span, to: &writer)
      }
      return writer.count
    }!
  }

  @Test func `a flood of limits hides no other event`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.isDraining = false
    let limits = (0..<200).map { Bitrate.kilobits($0) }
    for _ in 0..<5 {
      call.peer.send(rtcp: receiveLimits(limits))
      call.drain()
      call.run(for: .milliseconds(20))
    }
    call.peer.close(now: call.now)
    call.drain()
    call.run(for: .seconds(1))
    call.isDraining = true
    call.drain()
    #expect(call.end == .closedByPeer)
    #expect(call.count(.bitrateEstimated(.kilobits(199))) == 1)
  }

  @Test func `reports on each stream once a second`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(10))
    let senders = call.peer.feedback.compactMap { entry -> SSRC? in
      if case .senderReport(let ssrc, _) = entry.item { ssrc } else { nil }
    }
    #expect((9...11).contains(senders.count { $0 == call.peer.announcedVideo }))
    #expect((9...11).contains(senders.count { $0 == call.peer.announcedAudio }))
    let blocks = call.peer.feedback.compactMap { entry -> SSRC? in
      if case .reportBlock(_, let block) = entry.item { block.ssrc } else { nil }
    }
    #expect((9...11).contains(blocks.count { $0 == TestPeer.videoSSRC }))
    #expect((9...11).contains(blocks.count { $0 == TestPeer.audioSSRC }))
    #expect(!blocks.contains(TestPeer.rtxSSRC))
  }
}
