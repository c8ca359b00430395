import Dispatch
import RealtimeRuntime
import SystemSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct BlockingQueueTests {
  private struct Failure: Error {}

  /// Blocks like a disk that hangs, until it is let go.
  private final class Hang: Sendable {
    private let end = DispatchSemaphore(value: 0)
    func wait() { end.wait() }
    func end(_ count: Int = 1) { for _ in 0..<count { end.signal() } }
  }

  @Test func workAndItsFailuresComeBack() async throws {
    let queue = BlockingQueue("a disk", timeout: .seconds(5))
    #expect(try await queue.run { 7 } == 7)
    await #expect(throws: Failure.self) { try await queue.run { throw Failure() } }
    #expect(queue.stall == nil)
  }

  /// The one that hangs fails in time, the next ones at once, and another resource goes on.
  @Test func whatHangsHoldsUpNobodyForLong() async throws {
    let (hang, queue) = (Hang(), BlockingQueue("a disk", timeout: .milliseconds(200)))
    let other = BlockingQueue("the kernel", timeout: .milliseconds(200))
    let stall = BlockingQueueError.stalled("a disk", .milliseconds(200))
    await #expect(throws: stall) { try await queue.run { hang.wait() } }
    #expect(queue.stall != nil)
    let begin = ContinuousClock.now
    await #expect(throws: BlockingQueueError.self) { try await queue.run {} }
    #expect(ContinuousClock.now - begin < .milliseconds(100))
    #expect(try await other.run { 1 } == 1)
    hang.end()
    try await eventually { queue.stall == nil }
    #expect(try await queue.run { 2 } == 2)
  }

  @Test func aBoundedNumberWaits() async throws {
    let (hang, queue) = (Hang(), BlockingQueue("a disk", timeout: nil, limit: 3))
    await withTaskGroup(of: BlockingQueueError?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          do { try await queue.run { hang.wait() } } catch { return error as? BlockingQueueError }
          return nil
        }
      }
      #expect(await group.next() == .crowded("a disk"))
      hang.end(3)
      for await failure in group { #expect(failure == nil) }
    }
    #expect(try await queue.run { 3 } == 3)
  }
}
