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
    let queue = ReceivedSoundQueue()
    callee.setPlayout(queue, session: "call")
    let packet: [UInt8] = [31 << 3] + Array(repeating: 7, count: 80)
    for number in 0..<500 where queue.isEmpty {
      let header = EncodedFrameHeader(
        kind: .audio, timestamp: MonotonicClock.now(), duration: .milliseconds(20), isKeyFrame: true,
        number: UInt32(number))
      caller.localFrames.push(header, payload: packet.span.bytes)
      try await Task.sleep(for: .milliseconds(10))
    }
    var (byteCount, arrival) = (0, MonotonicInstant(nanoseconds: 0))
    #expect(queue.popFirst { (arrival, byteCount) = ($0.instant, $1.byteCount) })
    #expect(byteCount == packet.count)
    #expect(abs((MonotonicClock.now() - arrival).seconds) < 5)
  }

  @Test func `a session is sent the mix that it was given, and no other`() async throws {
    let address = TransportAddress(ipv4: 0x7F00_0001, port: 0)
    let (caller, callee) = (try makeLoop(address), try makeLoop(address))
    defer { [caller, callee].forEach { $0.stop() } }
    var events = try await connect(caller, callee).makeAsyncIterator()
    while let event = await events.next(), event.event != .connected {}
    let queue = ReceivedSoundQueue()
    callee.setPlayout(queue, session: "call")
    caller.setMix(7, session: "call")
    var marks: Set<UInt8> = []
    for number in 0..<500 as Range<UInt32> where marks.isEmpty {
      // The size tells the mixes apart.
      for mix in [0, 7, 8] as [UInt8] {
        let header = EncodedFrameHeader(
          kind: .audio, timestamp: MonotonicClock.now(), duration: .milliseconds(20), isKeyFrame: true, number: number,
          mix: mix)
        let packet: [UInt8] = [31 << 3] + Array(repeating: 7, count: 80 + Int(mix))
        caller.localFrames.push(header, payload: packet.span.bytes)
      }
      try await Task.sleep(for: .milliseconds(10))
      while queue.popFirst({ _, payload in marks.insert(UInt8(clamping: payload.byteCount - 81)) }) {}
    }
    #expect(marks == [7])
  }

  @Test func `what is meant for an attempt that is over does not reach the next one`() async throws {
    let loop = try makeLoop(TransportAddress(ipv4: 0x7F00_0001, port: 0))
    defer { loop.stop() }
    let (first, second) = (SessionHandle("call", attempt: 1), SessionHandle("call", attempt: 2))
    _ = try await loop.offer(session: first, publish: [.audio], subscribe: [])
    loop.hangUp(session: first)
    _ = try await loop.offer(session: second, publish: [.audio], subscribe: [])
    loop.hangUp(session: first)
    await #expect(throws: NetworkLoopError.self) { try await loop.accept(answer: "", session: first) }
    #expect(await Set(loop.statistics().keys) == [second])
  }
}
