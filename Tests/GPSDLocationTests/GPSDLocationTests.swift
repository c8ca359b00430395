import Foundation
import MediaCore
import SystemSupport
import TestSupport
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
    try await eventually { changes.list.contains(.disconnected("the connection ended")) }
    try daemon.start()
    #expect(await iterator.next() != nil)
    feed.cancel()
    await feed.value
    daemon.stop()
    #expect(changes.list.filter { $0 == .connected }.count >= 1)
  }

  @Test func aReceiverThatLivesInThePastTellsItsDate() async throws {
    let daemon = try GPSDaemon()
    try daemon.start()
    let feed = feeding(daemon, date: "220899")
    // The first fix may come before the first sentence that has a date.
    let fixes = GPSDLocation(port: daemon.port).fixes()
    let fix = try #require(await fixes.first { $0.time != nil })
    // gpsd adds 1,024 weeks to 22 August 1999 by itself, which is not enough.
    #expect(fix.time.map { $0 / 86_400 } == 17_993, "7 April 2019")
    feed.cancel()
    await feed.value
    daemon.stop()
  }

  @Test func anAbsentDaemonIsFoundWhenItComes() async throws {
    let daemon = try GPSDaemon()
    let (changes, sink) = AsyncStream.makeStream(of: GPSDLocation.Change.self)
    let fixes = GPSDLocation(port: daemon.port).fixes { sink.yield($0) }
    var iterator = changes.makeAsyncIterator()
    let cause = "nothing accepts connections at 127.0.0.1, port \(daemon.port)"
    #expect(await iterator.next() == .disconnected(cause))
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

/// What receivers in the field have reported, through libgps.
@Suite("Reports from the field", .timeLimit(.minutes(1)))
struct FieldReportTests {
  /// The fixes that come of a file of reports.
  private func fixes(_ name: String, count: Int) async throws -> [PositionFix] {
    let daemon = try ReplayedReports(name)
    defer { daemon.stop() }
    var fixes: [PositionFix] = []
    for await fix in GPSDLocation(port: daemon.port).fixes() {
      fixes.append(fix)
      if fixes.count == count { break }
    }
    return fixes
  }

  @Test func reportsAtTheOriginHaveNoEstimate() async throws {
    let fixes = try await fixes("zero-then-real", count: 8)
    #expect(fixes.contains { $0.latitude == 0 })
    #expect(fixes.allSatisfy { ($0.latitude == 0) == ($0.horizontalError == nil) })
  }

  @Test func aReceiverOf1024WeeksAgoHasItsPositionAndItsDate() async throws {
    let fix = try #require(try await fixes("rollover", count: 1).first)
    let weeks = try #require(fix.time.map { (Int64(time(nil)) - $0 + 60) / (7 * 86_400) })
    #expect(abs(fix.latitude - 47.4979) < 0.0001 && weeks == 1_024)
  }

  /// None of them may be a position.
  @Test func nullsAndAbsencesAreNone() async throws {
    let daemon = try ReplayedReports("nulls-and-absences")
    defer { daemon.stop() }
    let (changes, sink) = AsyncStream.makeStream(of: GPSDLocation.Change.self)
    let fixes = GPSDLocation(port: daemon.port).fixes { sink.yield($0) }
    let seen = Mutex<[PositionFix]>([])
    let reading = Task { for await fix in fixes { seen.withLock { $0.append(fix) } } }
    try await eventually { daemon.rounds >= 3 }
    reading.cancel()
    #expect(seen.withLock { $0 } == [])
    withExtendedLifetime(changes) {}
  }
}
