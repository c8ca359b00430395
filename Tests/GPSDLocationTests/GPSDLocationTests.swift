import Foundation
import MediaCore
import Locking
import Testing

@testable import GPSDLocation

/// Against the gpsd of the system.
@Suite("gpsd", .enabled(if: GPSDaemon.isInstalled), .serialized, .timeLimit(.minutes(1)))
struct GPSDLocationTests {
  private final class Changes: Sendable {
    let all = Mutex<[GPSDLocation.Change]>([])
    func add(_ change: GPSDLocation.Change) { all.withLock { $0.append(change) } }
    var list: [GPSDLocation.Change] { all.withLock { $0 } }
  }

  /// Feeds sentences ten times a second until cancelled.
  private func feeding(_ daemon: GPSDaemon, date: String = "211126") -> Task<Void, Never> {
    nonisolated(unsafe) let daemon = daemon
    return Task {
      var second = 0
      while !Task.isCancelled {
        daemon.feed(latitude: 52.5163, longitude: 13.3777, second: second % 3600, date: date)
        second += 1
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  @Test func fixesArriveAlsoAfterARestart() async throws {
    let daemon = try GPSDaemon()
    let changes = Changes()
    let fixes = GPSDLocation(port: daemon.port).fixes { changes.add($0) }
    // The reader starts before gpsd does: that is no error.
    try daemon.start()
    let feed = feeding(daemon)
    var iterator = fixes.makeAsyncIterator()
    let fix = try #require(await iterator.next())
    #expect(abs(fix.latitude - 52.5163) < 0.0001)
    #expect(abs(fix.longitude - 13.3777) < 0.0001)
    #expect(fix.isThreeDimensional)
    daemon.stop()
    // What was read before the end may still wait in the stream.
    while !changes.list.contains(.disconnected("the connection ended")) {
      try await Task.sleep(for: .milliseconds(20))
    }
    try daemon.start()
    #expect(await iterator.next() != nil)
    feed.cancel()
    await feed.value
    daemon.stop()
    #expect(changes.list.filter { $0 == .connected }.count >= 1)
  }

  @Test func aReceiverThatLivesInThePastIsNotBelieved() async throws {
    let daemon = try GPSDaemon()
    let (changes, sink) = AsyncStream.makeStream(of: GPSDLocation.Change.self)
    try daemon.start()
    let fixes = GPSDLocation(port: daemon.port).fixes { sink.yield($0) }
    let feed = feeding(daemon, date: "220899")
    for await change in changes where change == .unbelievable { break }
    feed.cancel()
    await feed.value
    daemon.stop()
    withExtendedLifetime(fixes) {}
  }

  @Test func anAbsentDaemonIsFoundWhenItComes() async throws {
    let daemon = try GPSDaemon()
    let (changes, sink) = AsyncStream.makeStream(of: GPSDLocation.Change.self)
    let fixes = GPSDLocation(port: daemon.port).fixes { sink.yield($0) }
    var iterator = changes.makeAsyncIterator()
    guard case .disconnected = await iterator.next() else {
      Issue.record("not a disconnection")
      return
    }
    try daemon.start()
    #expect(await iterator.next() == .connected)
    daemon.stop()
    withExtendedLifetime(fixes) {}
  }
}

@Suite("What is reported of the connection to gpsd")
struct ConnectionReportTests {
  @Test func anOutageIsReportedOnce() {
    var report = ConnectionReport()
    #expect(report.failed("refused") == .disconnected("refused"))
    #expect(report.failed("refused") == nil)
    #expect(report.failed("timed out") == nil)
    #expect(report.ended() == .disconnected("the connection ended"))
    #expect(report.failed("refused") == nil)
  }
}
