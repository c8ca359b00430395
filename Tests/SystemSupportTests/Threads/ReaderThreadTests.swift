import SystemSupport
import Testing

@Suite("A thread that reads", .timeLimit(.minutes(1)))
struct ReaderThreadTests {
  @Test func stoppingEndsARest() async throws {
    let thread = ReaderThread()
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      do {
        try thread.start(name: "test") {
          while thread.isRunning { thread.rest(milliseconds: 3_600_000) }
          ended.resume()
        }
      } catch {
        ended.resume(throwing: error)
      }
      thread.stop()
    }
    #expect(!thread.isRunning)
  }
}
