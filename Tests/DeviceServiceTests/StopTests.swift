import CallEngine
import SystemSupport
import TestServers
import TestSupport
import Testing

@testable import DeviceService

extension DeviceServiceTests {
  @Suite("Stop") struct Stop {
    /// systemd would kill it after 90 s; without calls and recordings there is nothing to wait for.
    private static let limit = Duration.seconds(8)

    @Test func itStopsAtOnce() async throws {
      let bench = try ServiceBench()
      let span = try await bench.run(try bench.makeService())
      #expect(span < Self.limit)
    }

    @Test func aSecondRequestChangesNothing() async throws {
      let bench = try ServiceBench()
      let span = try await bench.run(try bench.makeService(), stops: 2)
      #expect(span < Self.limit)
      #expect(bench.log.lines.filter { $0 == "livesessionsd has stopped" }.count == 1)
    }

    /// Sockets, locks and files are free again.
    @Test func itCanBeStartedAgain() async throws {
      let bench = try ServiceBench()
      for _ in 0..<2 { try await bench.run(try bench.makeService()) }
      #expect(bench.log.lines.filter { $0 == "livesessionsd has stopped" }.count == 2)
    }

    @Test func requestsThatEndStopItToo() async throws {
      let bench = try ServiceBench()
      try await bench.makeService().run(until: { AsyncStream { $0.finish() } })
      #expect(bench.log.lines.last == "livesessionsd has stopped")
    }

    /// A task that goes on would hold what it works on.
    @Test func noTaskAndNoThreadIsLeft() async throws {
      let bench = try ServiceBench()
      let engine = Mutex(WeakEngine())
      try await bench.makeService().run(until: { AsyncStream { $0.finish() } }) { parts in
        engine.withLock { $0.engine = parts.engine }
        #expect(ServiceBench.threads.contains("ls-network"))
      }
      try await eventually { engine.withLock { $0.engine == nil } }
      try await eventually { ServiceBench.threads.isEmpty }
    }

    private struct WeakEngine {
      weak var engine: CallEngine?
    }
  }
}
