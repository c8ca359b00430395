import SystemSupport
import MediaCore
import PeerSession
import Signalling
import Testing

@testable import NetworkLoop

@Suite("Commands to the network thread", .timeLimit(.minutes(1)))
struct NetworkCommandQueueTests {
  private func isHangUp(_ command: NetworkCommand) -> Bool { if case .hangUp = command { true } else { false } }
  private func isStop(_ command: NetworkCommand) -> Bool { if case .stop = command { true } else { false } }

  @Test func `what comes after the thread's end is refused and not waited for`() async throws {
    let loop = try makeLoop(TransportAddress(ipv4: 0x7F00_0001, port: 0))
    loop.stop()
    #expect(await loop.statistics().isEmpty)
    await #expect(throws: NetworkLoopError.self) {
      try await loop.offer(session: "a", publish: [.audio], subscribe: [])
    }
    await #expect(throws: NetworkLoopError.self) { try await loop.accept(answer: "", session: "a") }
  }

  @Test func `what waits as the queue closes is refused`() throws {
    let queue = try NetworkCommandQueue()
    let answers = Mutex(0)
    queue.push(.readStatistics { _ in answers.withLock { $0 += 1 } })
    queue.close()
    queue.push(.readStatistics { _ in answers.withLock { $0 += 1 } })
    #expect(answers.withLock { $0 } == 2)
    #expect(queue.takeAll().isEmpty)
  }

  @Test func `a full queue takes what frees something`() throws {
    let queue = try NetworkCommandQueue()
    let answers = Mutex<[SessionHandle]>([])
    for index in 0..<NetworkCommandQueue.limit {
      let session = SessionHandle(index % 2 == 0 ? "a" : "b")
      let command = NegotiationCommand(session: session, step: .accept(answer: "")) { _ in
        answers.withLock { $0.append(session) }
      }
      #expect(queue.push(.negotiate(command)))
    }
    #expect(!queue.push(.requestKeyFrame(session: "a")))
    #expect(queue.push(.hangUp(session: "a")))
    #expect(queue.push(.hangUp(session: "a")))
    #expect(queue.push(.stop))
    // Who waited for the session that is hung up is answered.
    #expect(answers.withLock { $0 } == Array(repeating: "a", count: NetworkCommandQueue.limit / 2))
    let left = queue.takeAll()
    #expect(left.count == NetworkCommandQueue.limit / 2 + 3)
    #expect(left.count(where: isHangUp) == 2 && isStop(left[left.count - 1]))
  }

  @Test func `hanging up again and again does not grow a full queue`() throws {
    let queue = try NetworkCommandQueue()
    for _ in 0..<NetworkCommandQueue.limit { queue.push(.readStatistics { _ in }) }
    for _ in 0..<5_000 { queue.push(.hangUp(session: "a")) }
    #expect(queue.takeAll().count == NetworkCommandQueue.limit + 1)
  }
}
