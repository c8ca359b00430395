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

  @Test func `a peer that asks all the time costs the others a key frame now and then`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(2))
    let before = call.count(.keyFrameRequested)
    for _ in 0..<6_000 {
      try requestKeyFrame(of: call)
      call.run(for: .milliseconds(10))
    }
    #expect((20...32).contains(call.count(.keyFrameRequested) - before))
    // After a while it is believed again.
    call.run(for: .seconds(20))
    let later = call.count(.keyFrameRequested)
    for _ in 0..<4 {
      try requestKeyFrame(of: call)
      call.run(for: .milliseconds(600))
    }
    #expect(call.count(.keyFrameRequested) == later + 4)
  }

  @Test func `a peer that is recorded is asked for key frames at least each ten seconds`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.session.setKeyFrameInterval(.seconds(10))
    call.run(for: .seconds(60))
    let keyFrames = call.collector.frames.video.filter(\.isKeyFrame).map(\.arrival)
    #expect(zip(keyFrames, keyFrames.dropFirst() + [call.now]).allSatisfy { $1 - $0 <= .milliseconds(10_200) })
    #expect(keyFrames.count <= 8)
    call.session.setKeyFrameInterval(nil)
    let count = keyFrames.count
    call.run(for: .seconds(30))
    #expect(call.collector.frames.video.count(where: \.isKeyFrame) == count)
  }

  @Test func `a recorded peer that makes no key frames is not pestered`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.peer.answersKeyFrameRequests = false
    call.session.setKeyFrameInterval(.seconds(10))
    let before = call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) }
    call.run(for: .seconds(60))
    let asked = call.peer.feedbackCount { $0 == .pictureLossIndication(media: TestPeer.videoSSRC) } - before
    #expect((20...27).contains(asked))
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
    #expect(
      call.peer.feedbackCount {
        if case .receiverEstimatedMaximumBitrate(.kilobits(2_500), _) = $0 { true } else { false }
      } >= 1)
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
    let before = call.events.count
    call.isDraining = true
    call.drain()
    #expect(call.end == .closedByPeer)
    let estimates = call.events.dropFirst(before).filter {
      if case .bitrateEstimated = $0.event { true } else { false }
    }
    #expect(estimates.count == 1)
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
