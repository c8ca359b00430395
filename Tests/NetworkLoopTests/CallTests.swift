import MediaCore
import NetworkLoop
import PeerSession
import RealtimeRuntime
import Signalling
import Testing

@Suite(.timeLimit(.minutes(1))) struct CallTests {
  @Test(arguments: [TransportAddress(ipv4: 0x7F00_0001, port: 0), TransportAddress(ipv6: 0, 1, port: 0)])
  func `a call carries sound over either family`(address: TransportAddress) async throws {
    let (caller, callee) = (try makeLoop(address), try makeLoop(address))
    defer { [caller, callee].forEach { $0.stop() } }
    var events = try await connect(caller, callee).makeAsyncIterator()
    while let event = await events.next(), event.event != .connected {}
    let inbox = try FrameInbox()
    callee.setPlayout(inbox, session: "call")
    let packet: [UInt8] = [31 << 3] + Array(repeating: 7, count: 80)
    for number in 0..<500 where inbox.audio.isEmpty {
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: MonotonicClock.now(), duration: .milliseconds(20), isKeyFrame: true,
        number: UInt32(number))
      caller.localFrames.push(header, payload: packet.span.bytes)
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(inbox.audio.popFirst { _, payload in payload.byteCount } == packet.count)
  }

  @Test func `what is meant for an attempt that is over does not reach the next one`() async throws {
    let loop = try makeLoop(TransportAddress(ipv4: 0x7F00_0001, port: 0))
    defer { loop.stop() }
    let (first, second) = (SessionHandle("call", attempt: 1), SessionHandle("call", attempt: 2))
    _ = try await loop.offer(session: first, publish: [.audio], subscribe: [])
    loop.hangUp(session: first)
    _ = try await loop.offer(session: second, publish: [.audio], subscribe: [])
    loop.hangUp(session: first)
    await #expect(throws: NetworkLoopError.self) { try await loop.restartICE(session: first) }
    #expect(await Set(loop.statistics().keys) == [second])
  }
}
