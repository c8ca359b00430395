import Foundation
import GRDB
import HubStoreSQLite
import Signalling
import SystemSupport
import Testing

@testable import HubStore

/// What of events becomes entries, and when.
@Suite(.timeLimit(.minutes(1)))
struct AuditLogTests {
  private static let wrong = AuditEvent(
    .loginFailed, by: AuditActor(.unknown, address: "192.0.2.1"), outcome: .refused, groups: ["default"])

  @Test func repetitionsAreSummarised() {
    var summaries = AuditSummaries()
    #expect(summaries.admit(Self.wrong, now: .now, at: 0)?.entry.count == 1)
    for time in 1...9 { #expect(summaries.admit(Self.wrong, now: .now, at: Int64(time)) == nil) }
    #expect(summaries.take(at: 10).isEmpty)
    let due = summaries.take(at: AuditSummaries.window)
    #expect(due.map(\.entry.count) == [9] && due.map(\.entry.at) == [1] && due.map(\.entry.lastAt) == [9])
    #expect(summaries.take(at: 2 * AuditSummaries.window).isEmpty)
  }

  @Test func floodsOfDifferentOnesAreCountedTogether() {
    var summaries = AuditSummaries()
    let now = ContinuousClock.now
    let written = (0..<2_000).compactMap { number in
      summaries.admit(
        AuditEvent(.loginFailed, by: AuditActor(.unknown, address: "\(number)"), outcome: .refused), now: now, at: 0)
    }
    #expect(written.count == AuditSummaries.entriesPerMinute)
    let rest = summaries.take(at: 0, all: true)
    #expect(rest.map(\.entry.count) == [2_000 - AuditSummaries.entriesPerMinute])
  }

  @Test func changesAreNeverSummarised() {
    var summaries = AuditSummaries()
    let event = AuditEvent(.accountRemoved, by: AuditActor(.hub), on: AuditSubject(.person, id: "1"))
    for _ in 0..<100 { #expect(summaries.admit(event, now: .now, at: 0) != nil) }
  }

  @Test func changesThatAreRefusedAreSummarised() {
    var summaries = AuditSummaries()
    let event = AuditEvent(.accountRemoved, by: AuditActor(.account, id: "1"), outcome: .refused)
    #expect(summaries.admit(event, now: .now, at: 0)?.isRoutine == true)
    for _ in 0..<100 { #expect(summaries.admit(event, now: .now, at: 0) == nil) }
  }

  @Test func whatIsLostIsCountedAndSaid() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try SQLiteStore(path: folder + "/hub.sqlite")
    let log = AuditLog(store: store, time: { 1 })
    let event = AuditEvent(.accountChanged, by: AuditActor(.hub), groups: ["default"])
    for _ in 0..<AuditLog.capacity + 5 { log.record(event) }
    #expect(log.figures.lost == 5 && log.figures.waiting == AuditLog.capacity)
    try await log.flush()
    #expect(log.figures.waiting == 0)
    let page = try await log.page(AuditQuery(limit: 200, kind: "entries-lost", groups: nil))
    #expect(page.items.map(\.count) == [5])
  }

  /// A newer hub may have written what this one does not know: the log is read on, and says so.
  @Test func anEntryThatCannotBeReadIsOneOfItsOwn() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let log = AuditLog(store: try SQLiteStore(path: folder + "/hub.sqlite"), time: { 5 })
    for _ in 0..<3 { log.record(AuditEvent(.accountChanged, by: AuditActor(.hub), groups: ["a"])) }
    try await log.flush()
    try await DatabaseQueue(path: folder + "/hub.sqlite").write {
      try $0.execute(sql: "UPDATE audit SET entry = '{\"kind\":\"of-a-later-hub\"}' WHERE number = 2")
    }
    let items = try await log.page(AuditQuery(limit: 10, groups: ["a"])).items
    #expect(items.map(\.kind) == ["account-changed", "entry-unreadable", "account-changed"])
    #expect(items.map(\.at) == [5, 5, 5] && items[1].id == "2")
    #expect(try await log.page(AuditQuery(limit: 10, groups: ["b"])).items.isEmpty)
  }

  @Test func eachReaderSeesTheOwnGroups() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "audit-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let log = AuditLog(store: try SQLiteStore(path: folder + "/hub.sqlite"), time: { 5 })
    for groups: Set<String> in [["a"], ["b"], ["a", "b"], []] {
      log.record(
        AuditEvent(.accountChanged, by: AuditActor(.account, id: groups.sorted().joined()), groups: groups))
    }
    try await log.flush()
    func ids(_ groups: Set<String>?) async throws -> [String?] {
      try await log.page(AuditQuery(limit: 10, groups: groups)).items.map(\.actor.id)
    }
    #expect(try await ids(["a"]) == ["ab", "a"])
    #expect(try await ids([]) == [])
    #expect(try await ids(nil) == ["", "ab", "b", "a"])
    #expect(try await log.page(AuditQuery(limit: 10, userID: "b", groups: nil)).items.count == 1)
    #expect(try await log.page(AuditQuery(limit: 10, since: 6, groups: nil)).items.isEmpty)
  }
}
