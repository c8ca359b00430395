import HubCore
import NIOCore
import NIOPosix
import Signalling
import SystemSupport
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1)))
struct RequestTasksTests {
  private static let executor = EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())

  @Test func endWaitsForWhatItCancels() async {
    let tasks = RequestTasks()
    let cancelled = Mutex(0)
    for _ in 0..<3 {
      tasks.start(on: Self.executor) {
        if (try? await Task.sleep(for: .seconds(3_600))) == nil { cancelled.withLock { $0 += 1 } }
      }
    }
    #expect(await tasks.end(within: .seconds(30)) == 0)
    #expect(cancelled.withLock { $0 } == 3)
  }

  @Test func whatBeginsAfterTheEndIsCancelled() async {
    let tasks = RequestTasks()
    #expect(await tasks.end(within: .zero) == 0)
    let wasCancelled = await withCheckedContinuation { continuation in
      tasks.start(on: Self.executor) { continuation.resume(returning: Task.isCancelled) }
    }
    #expect(wasCancelled)
  }

  @Test func endSaysWhatDoesNotEnd() async {
    let tasks = RequestTasks()
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    // Waits whether it is cancelled or not.
    let holder = Task { for await _ in gate {} }
    tasks.start(on: Self.executor) { await holder.value }
    #expect(await tasks.end(within: .milliseconds(1)) == 1)
    opening.finish()
    #expect(await tasks.end(within: .seconds(30)) == 0)
  }

  /// A request waits for a device that does not answer; its client is gone, so no connection is left to wait for.
  @Test func noRequestOutlivesTheHub() async throws {
    let running = Mutex<RequestTasks?>(nil)
    var limits = HubLimits()
    limits.archiveStartTimeout = .seconds(600)
    try await HubFixture.run(limits: limits) { hub in
      let tasks = hub.server.connections.tasks
      running.withLock { $0 = tasks }
      let admin = try await hub.addPerson("admin", role: .operator)
      let device = try await hub.addDevice("door")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        do {
          let client = try RawConnection(port: hub.port, from: "127.0.0.2")
          client.send(
            "GET /v1/users/\(device.id)/archives HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(admin.token)\r\n\r\n"
          )
          _ = try await events.next(.request, as: RequestEvent.self)
        }
      }
      #expect(tasks.count > 0)
    }
    #expect(running.withLock { $0?.count } == 0)
  }
}
