import MediaCore
import NetworkLoop
import PeerSession
import RealtimeRuntime
import Signalling
import Testing

@Suite("Sources of pictures", .timeLimit(.minutes(1)))
struct VideoSourceTests {
  private static let address = TransportAddress(ipv4: 0x7F00_0001, port: 0)

  /// Frames of one source, which the width of their key frames tells apart.
  private struct Source {
    let ring: FrameRing
    let wake: EventDescriptor
    let width: UInt8
    /// What its clock is behind.
    var lateness = TimeSpan.zero
    var number: UInt32 = 0
    var sinceKeyFrame = 0

    init(_ inbox: FrameInbox, width: UInt8) { (ring, wake, self.width) = (inbox.video, inbox.wake, width) }

    mutating func push() {
      let isKeyFrame = sinceKeyFrame % 5 == 0
      let start: [UInt8] = isKeyFrame ? [0x10, 0, 0, 0x9D, 0x01, 0x2A, width, 0, 16, 0] : [0x11, 0, 0]
      let payload = start + Array(repeating: width, count: 200)
      let header = EncodedFrameHeader(
        kind: .video, timestamp: MonotonicClock.now() - lateness, duration: .milliseconds(20), isKeyFrame: isKeyFrame,
        number: number, width: UInt16(width), height: 16)
      ring.push(header, payload: payload.span.bytes)
      wake.signal()
      (number, sinceKeyFrame) = (number + 1, sinceKeyFrame + 1)
    }
  }

  private struct Arrived {
    var width: UInt8
    var isKeyFrame: Bool
    var timestamp: MonotonicInstant
  }

  private func makeCaller() throws -> NetworkLoop {
    var configuration = NetworkLoopConfiguration(addresses: [Self.address], cname: "test")
    configuration.furtherSources = 1
    return try makeLoop(configuration)
  }

  @Test func `a change goes on with the other source's key frame, on the same stream and in time`() async throws {
    let (caller, callee) = (try makeCaller(), try makeLoop(Self.address))
    defer { [caller, callee].forEach { $0.stop() } }
    var events = try await connect(caller, callee).makeAsyncIterator()
    while let event = await events.next(), event.event != .connected {}
    let inbox = try FrameInbox()
    callee.addRecorder(inbox, session: "call")
    var (main, yard) = (Source(caller.localFrames, width: 64), Source(caller.furtherFrames[0], width: 32))
    yard.lateness = .milliseconds(60)
    // Its first key frame after the change is yet to come.
    yard.sinceKeyFrame = 1
    var arrived: [Arrived] = []
    for round in 0..<400 where arrived.count(where: { $0.width == 32 }) < 12 {
      if arrived.count(where: { $0.width == 64 }) == 10 { caller.setVideoSource(1, session: "call") }
      main.push()
      if round % 2 == 0 { yard.push() }
      try await Task.sleep(for: .milliseconds(15))
      while inbox.video.popFirst({ header, payload in
        arrived.append(
          Arrived(
            width: payload.unsafeLoad(fromByteOffset: payload.byteCount - 1, as: UInt8.self),
            isKeyFrame: header.isKeyFrame, timestamp: header.timestamp))
      }) != nil {}
    }
    let change = try #require(arrived.firstIndex { $0.width == 32 })
    #expect(arrived[change].isKeyFrame && change >= 10)
    #expect(arrived[change...].allSatisfy { $0.width == 32 } && arrived[..<change].allSatisfy { $0.width == 64 })
    let times = arrived.map(\.timestamp)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(await callee.statistics()["call"]?.packetsRefused == 0)
  }
}
