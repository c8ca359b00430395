import MediaCore
import PeerSession
import RTP
import TestSupport
import Testing

@Suite struct HostileTests {
  static let stranger = TransportAddress(ipv4: 0xC0A8_0001, port: 7_000)

  @Test func `garbage and anonymous change nothing`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    var generator = SeededGenerator(seed: 9)
    let events = call.events.count
    for round in 0..<3_000 {
      let count = Int(generator.next() % 200)
      var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      // Each kind of datagram in turn, with a plausible head.
      if count > 1 { (bytes[0], bytes[1]) = [(0, 1), (22, 0xFE), (0x80, 96), (0x80, 200), (0x90, 111)][round % 5] }
      let source = round % 2 == 0 ? Self.stranger : Call.peerAddress
      let sent = call.sentCount
      let isPeers = call.inject(bytes, from: source)
      #expect(!isPeers)
      // Nothing of this deserves an answer, but what looks like a repeated handshake message from the peer's address.
      #expect(call.sentCount == sent || round % 10 == 1)
    }
    #expect(call.events.count == events)
    call.run(for: .seconds(1))
    #expect(call.end == nil)
    #expect(call.now - call.collector.frames.video.last!.arrival < .milliseconds(50))
    #expect(call.collector.frames.isIntactAndInOrder(.video))
    #expect(call.session.statistics.packetsRefused > 500)
  }

  @Test func `repeated and altered datagrams of the peer are refused`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(1))
    for packet in call.peer.sender.makeVideo(captured: call.now) { call.peer.send(rtp: packet) }
    let packets = call.peer.outbox.map(\.bytes)
    call.drain()
    call.run(for: .milliseconds(20))
    let before = call.session.statistics
    for packet in packets {
      #expect(!call.inject(packet, from: Self.stranger))
      var altered = packet
      altered[altered.count / 2] ^= 1
      #expect(!call.inject(altered, from: Call.peerAddress))
    }
    #expect(call.session.statistics.packetsReceived == before.packetsReceived)
    #expect(call.session.statistics.packetsRefused == before.packetsRefused + 2 * UInt64(packets.count))
  }

  @Test func `only who knows the password proves to be the peer`() throws {
    var setup = Call.Setup()
    // The peer claims an address of somebody else's.
    setup.offer.candidates = ["candidate:1 1 udp 1 192.168.0.1 7000 typ host"]
    setup.hasCandidates = false
    let call = try Call(setup)
    call.connect()
    call.run(for: .seconds(1))
    // A check response that answers none of the session's checks.
    let response: [UInt8] = [1, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + Array(repeating: 5, count: 12)
    #expect(!call.inject(response, from: Self.stranger))
    #expect(!call.inject(response, from: Call.peerAddress))
  }

  @Test func `a peer that flips its source is followed once a second`() throws {
    // Packets in the clear: a source that comes back with its old numbers is no replay.
    var setup = Call.Setup()
    setup.isReal = false
    let call = try Call(setup)
    call.peerSends = false
    call.connect()
    call.run(for: .seconds(1))
    let start = call.now
    for round in 0..<200 {
      call.peer.sender.changeVideoSource(to: SSRC(0x4000_0000 + UInt32(round % 2)))
      call.peer.sendVideo(now: call.now)
      call.drain()
      call.run(for: .milliseconds(25))
    }
    let seconds = Int((call.now - start).milliseconds / 1_000)
    let frames = call.collector.frames.video
    // Each source has one frame that can be shown after the change to it.
    #expect((1...seconds + 1).contains(frames.count))
    #expect(frames.allSatisfy { $0.number != nil })
  }

  @Test func `a new source goes on where the old one ended`() throws {
    let call = try Call()
    call.connect()
    call.run(for: .seconds(2))
    let before = call.collector.frames.video.count
    call.peer.sender.changeVideoSource(to: SSRC(0x5555_5555))
    call.run(for: .seconds(2))
    let video = call.collector.frames.video
    #expect(video.count >= before + 50)
    #expect(call.collector.frames.isDecodable)
    #expect(call.session.statistics.videoFramesReceived == UInt64(video.count))
    #expect(zip(video, video.dropFirst()).allSatisfy { $0.localNumber < $1.localNumber && $0.timestamp < $1.timestamp })
    // The archive learns that something may be missing before the change.
    #expect(video[before].localNumber > video[before - 1].localNumber + 1)
  }

  @Test func `the number of sources is bounded`() throws {
    var setup = Call.Setup()
    setup.isReal = false
    let call = try Call(setup)
    call.peerSends = false
    call.connect()
    for round in 0..<400 {
      call.peer.sender.changeVideoSource(to: SSRC(0x4000_0000 + UInt32(round)))
      call.peer.sendVideo(now: call.now)
      call.peer.sendReports(now: call.now)
      call.drain()
      call.run(for: .milliseconds(1_100))
    }
    let received = call.collector.frames.video.count
    #expect((10...32).contains(received))
    #expect(call.end == nil)
  }
}
