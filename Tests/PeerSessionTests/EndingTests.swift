import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct EndingTests {
  @Test func `a silent peer loses its consent`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(3))
    call.peer.isSilent = true
    let start = call.now
    call.run(for: .seconds(60)) { call.end != nil }
    #expect(call.end == .consentExpired)
    #expect(call.now - start <= .seconds(31))
    #expect(call.now - start >= .seconds(20))
    try expectSilence(of: call)
  }

  @Test func `a short outage is survived`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(3))
    call.network.lossPercent = 100
    call.run(for: .seconds(15))
    call.network.lossPercent = 0
    call.run(for: .seconds(5))
    #expect(call.end == nil)
    let frames = call.collector.frames
    #expect(call.now - frames.video.last!.arrival < .milliseconds(50))
    #expect(call.now - call.peer.receiver.frames.video.last!.arrival < .milliseconds(50))
    #expect(frames.isDecodable)
    #expect(call.peer.receiver.frames.isDecodable)
  }

  @Test func `the peer closes`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.peer.close(now: call.now)
    call.drain()
    call.run(for: .milliseconds(100))
    #expect(call.end == .closedByPeer)
    try expectSilence(of: call)
  }

  @Test func `closing says BYE for each source, then closes DTLS`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.session.close(now: call.now)
    call.drain()
    #expect(call.end == .closed)
    #expect(call.events.count { if case .ended = $0.event { true } else { false } } == 1)
    #expect(call.lastSent.suffix(2).map { DatagramKind($0.span.bytes) } == [.rtcp, .dtls])
    call.run(for: .milliseconds(50))
    #expect(call.peer.isDTLSClosed)
    for ssrc in [call.peer.announcedVideo, call.peer.announcedAudio] {
      #expect(call.peer.feedbackCount { $0 == .goodbye(ssrc!) } == 1)
    }
    call.session.close(now: call.now)
    try expectSilence(of: call)
  }

  @Test func `closing before there is a path sends nothing`() throws {
    let call = try Call()
    call.session.close(now: call.now)
    call.drain()
    #expect(call.end == .closed)
    try expectSilence(of: call)
  }

  @Test func `a BYE for one source does not end the session`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.peer.send(
      rtcp: writtenOctets { (buffer) throws(InsufficientSpace) in
        var writer = ByteWriter(overwriting: &buffer)
        try RTCPWriter.writeGoodbye(ssrc: TestPeer.videoSSRC, to: &writer)
        return writer.count
      }!)
    call.drain()
    call.run(for: .seconds(1))
    #expect(call.end == nil)
    #expect(call.now - call.collector.frames.video.last!.arrival < .milliseconds(50))
  }

  /// Whatever happens after the end, nothing is sent, delivered or reported.
  private func expectSilence(of call: Call) throws {
    call.run(for: .milliseconds(100))
    let (sent, events, frames) = (call.sentCount, call.events.count, call.collector.frames.video.count)
    call.peer.isSilent = false
    call.peerSends = true
    call.sessionSends = true
    call.run(for: .seconds(5))
    call.session.handleTimeout(now: call.now)
    call.session.requestKeyFrame(now: call.now)
    call.session.addRemoteCandidate(call.peer.candidateLine, now: call.now)
    call.drain()
    #expect(call.sentCount == sent)
    #expect(call.events.count == events)
    #expect(call.collector.frames.video.count == frames)
    #expect(call.session.deadline == .distantFuture)
  }
}
