import SystemSupport
import Testing

@Suite("A thread that reads", .timeLimit(.minutes(1)))
struct ReaderThreadTests {
  @Test func stoppingEndsARest() async {
    let thread = ReaderThread()
    await withCheckedContinuation { ended in
      let code = thread.start(name: "test") {
        while thread.isRunning { thread.rest(milliseconds: 3_600_000) }
        ended.resume()
      }
      #expect(code == 0)
      thread.stop()
    }
    #expect(!thread.isRunning)
  }
}
