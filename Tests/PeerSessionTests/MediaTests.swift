import MediaCore
import PeerSession
import RTP
import Testing

@Suite struct MediaTests {
  @Test func `frames arrive whole and in order both ways`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(5))
    for frames in [call.collector.frames, call.peer.receiver.frames] {
      #expect(frames.video.count >= 147)
      #expect(frames.audio.count >= 247)
      #expect(frames.isIntactAndInOrder(.video))
      #expect(frames.isIntactAndInOrder(.audio))
      #expect(frames.isDecodable)
      #expect(frames.video.first?.isKeyFrame == true)
    }
    let statistics = call.session.statistics
    #expect(statistics.packetsRefused == 0)
    #expect(statistics.videoFramesReceived == UInt64(call.collector.frames.video.count))
    #expect(statistics.roundTripTime.map { (18...25).contains($0.milliseconds) } == true)
    let numbers = call.collector.frames.video.map(\.localNumber)
    #expect(numbers == Array(0..<UInt32(numbers.count)))
  }

  @Test(arguments: [OfferTemplate(audio: nil), OfferTemplate(video: nil)])
  func `a single kind of media`(offer: OfferTemplate) throws {
    var setup = Call.Setup()
    setup.offer = offer
    let call = try Call(setup)
    call.connect()
    call.run(for: .seconds(2))
    for frames in [call.collector.frames, call.peer.receiver.frames] {
      #expect(frames.audio.count >= (offer.audio == nil ? 0 : 95))
      #expect(frames.video.count >= (offer.video == nil ? 0 : 55))
      #expect(offer.audio != nil || frames.audio.isEmpty)
      #expect(offer.video != nil || frames.video.isEmpty)
    }
  }

  @Test(arguments: [Int64(20), 1_300, 5_000])
  func `sound that a peer captured while it connected does not squeeze what follows`(backlog: Int64) throws {
    let call = try Call()
    call.peerSends = false
    call.connect()
    for age in stride(from: backlog, through: 20, by: -20) {
      call.peer.sendAudio(now: call.now, captured: call.now - .milliseconds(age))
    }
    let begin = call.now
    call.peerSends = true
    call.run(for: .seconds(4))
    let times = call.collector.frames.audio.map(\.timestamp)
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 > .milliseconds(5) })
    #expect(times.count > 190)
    let live = try #require(times.last)
    #expect(call.now - live < .milliseconds(150) && live <= call.now + .milliseconds(60))
    #expect(try #require(times.first) >= begin - .milliseconds(100))
  }

  @Test func `a peer that only receives is not listened to`() throws {
    var setup = Call.Setup()
    setup.offer.audio = "recvonly"
    setup.offer.video = "recvonly"
    let call = try Call(setup)
    call.connect()
    call.run(for: .seconds(2))
    #expect(call.collector.frames.video.isEmpty)
    #expect(call.collector.frames.audio.isEmpty)
    #expect(call.peer.receiver.frames.video.count >= 55)
    #expect(call.session.localDescription.contains("a=sendonly"))
  }

  @Test func `sends nothing to a peer that only sends`() throws {
    var setup = Call.Setup()
    setup.publish = []
    let call = try Call(setup)
    call.connect()
    call.run(for: .seconds(2))
    #expect(call.collector.frames.video.count >= 55)
    #expect(call.peer.receiver.frames.video.isEmpty)
    #expect(call.count(.keyFrameRequested) == 0)
  }

  @Test func `silence that discontinuous transmission left empty is not sent`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.isSilent = true
    call.run(for: .milliseconds(200))
    let count = call.peer.receiver.frames.audio.count
    call.run(for: .seconds(1))
    #expect(call.peer.receiver.frames.audio.count == count)
    call.isSilent = false
    call.run(for: .seconds(1))
    let audio = call.peer.receiver.frames.audio
    #expect(audio.count >= count + 45)
  }

  @Test func `packets of padding are no frames`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    call.peerSends = false
    call.run(for: .seconds(1))
    let count = call.collector.frames.audio.count
    call.peer.send(rtp: call.peer.sender.makeAudioPadding(captured: call.now))
    call.run(for: .milliseconds(500))
    #expect(call.collector.frames.audio.count == count)
    call.peerSends = true
    call.run(for: .seconds(1))
    let audio = call.collector.frames.audio
    #expect(audio.count >= count + 45)
    #expect(call.collector.frames.isIntactAndInOrder(.audio))
    // Nothing was lost.
    #expect(audio.map(\.localNumber) == Array(0..<UInt32(audio.count)))
  }

  @Test func `a gap in local numbers waits for a key frame`() throws {
    let call = try Call()
    call.peerSends = false
    call.connect()
    call.run(for: .seconds(2))
    let before = call.peer.receiver.frames.video.count
    let requests = call.count(.keyFrameRequested)
    call.sessionSends = false
    call.sendLocalVideo(leavesOut: true)
    // Depends on the frame that was left out, so it is not sent; the next one is the key frame asked for.
    call.sendLocalVideo()
    #expect(call.count(.keyFrameRequested) == requests + 1)
    call.sendLocalVideo()
    call.run(for: .milliseconds(100))
    let frames = call.peer.receiver.frames
    #expect(frames.video.count == before + 1)
    #expect(frames.video.last?.isKeyFrame == true)
    #expect(frames.isDecodable)
  }

  @Test func `sound and picture of a peer share a timeline`() throws {
    let call = try Call()
    call.peerSends = false
    call.sessionSends = false
    call.connect()
    // Pictures take 80 ms to leave the peer, sound takes 30 ms.
    var captures: [MediaKind: [MonotonicInstant]] = [.audio: [], .video: []]
    for tick in 0..<500 {
      let heard = call.now - .milliseconds(30)
      call.peer.sendAudio(now: call.now, captured: heard)
      captures[.audio]?.append(heard)
      if tick % 2 == 0 {
        let captured = call.now - .milliseconds(80)
        call.peer.sendVideo(now: call.now, captured: captured)
        captures[.video]?.append(captured)
      }
      call.drain()
      call.run(for: .milliseconds(20))
    }
    for kind in MediaKind.allCases {
      let frames = call.collector.frames[kind]
      #expect(frames.count >= 245)
      // From the third second on both have had their reports.
      for frame in frames.dropFirst(kind == .audio ? 150 : 75) {
        let number = Int(try #require(frame.number))
        let age = (frame.timestamp - captures[kind]![number]).nanoseconds
        // The network's 10 ms are part of the peer's clock as far as anybody can tell.
        #expect(abs(age - 10_000_000) <= 3_000_000)
      }
    }
  }
}
