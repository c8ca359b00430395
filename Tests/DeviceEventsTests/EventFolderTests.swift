import ControlMessages
import DeviceEvents
import Foundation
import Signalling
import SystemSupport
import Testing

@Suite struct EventFolderTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID().uuidString)").path

  private func folder(days: Int64 = 30, bytes: Int64 = 1 << 30) -> EventFolder {
    EventFolder(path: path, limits: EventFolder.Limits(maximumAge: .seconds(days * 86_400), maximumTotal: bytes))
  }

  /// 2026-11-24 12:00 UTC, and some days before it.
  private func noon(daysBefore days: Int64 = 0) -> Int64 { 1_795_521_600_000 - days * 86_400_000 }

  private func record(_ id: String, _ start: Int64) -> DetectedEvent {
    DetectedEvent(id: id, kind: .motion, source: "yard", start: start, score: 50, clockSynchronized: true)
  }

  private func names(_ folder: String = "") -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()) ?? []
  }

  @Test func whatIsWrittenIsReadNewestFirst() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await folder().append(record("a", noon(daysBefore: 1)))
    try await folder().append(record("b", noon()))
    try await folder().append(record("c", noon() + 1))
    #expect(names("2026-11-24") == ["events.jsonl"])
    #expect(await folder().events(since: 0, limit: 10).map(\.id) == ["c", "b", "a"])
    #expect(await folder().events(since: 0, limit: 2).map(\.id) == ["c", "b"])
    #expect(await folder().events(since: noon(), limit: 10).map(\.id) == ["c", "b"])
  }

  @Test func onlyASpanIsRead() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let midnight = noon() - 12 * 3_600_000
    for (id, start) in [("a", midnight - 1), ("b", midnight), ("c", noon())] {
      try await folder().append(record(id, start))
    }
    func ids(_ since: Int64, _ end: Int64) async -> [String] {
      await folder().events(since: since, before: EventPosition(start: end), limit: 10).map(\.id)
    }
    #expect(await ids(midnight - 5, midnight) == ["a"])
    #expect(await ids(midnight, noon()) == ["b"])
    #expect(await ids(0, noon() + 1) == ["c", "b", "a"])
    #expect(await ids(0, 0) == [])
    #expect(await ids(0, .max) == ["c", "b", "a"])
  }

  /// Also the last millisecond of a day, whose successor is another day's.
  @Test func whatStandsBehindAnEventBeginsWithTheSameMillisecond() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let last = noon() - 12 * 3_600_000 - 1
    for (id, start) in [("b", last), ("d", last), ("c", last), ("a", last - 1), ("e", last + 1)] {
      try await folder().append(record(id, start))
    }
    func ids(_ start: Int64, _ id: String) async -> [String] {
      await folder().events(since: 0, before: EventPosition(start: start, id: id), limit: 10).map(\.id)
    }
    #expect(await ids(last + 1, "f") == ["e", "d", "c", "b", "a"])
    #expect(await ids(last + 1, "e") == ["d", "c", "b", "a"])
    #expect(await ids(last, "d") == ["c", "b", "a"])
    #expect(await ids(last, "b") == ["a"])
    #expect(await ids(last, "") == ["a"])
    #expect(await ids(.max, "z").count == 5)
  }

  @Test func aPictureIsFoundByItsEvent() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let id: DetectedEventID = "20261124T120000Z-9f3c01ab"
    #expect(await folder().image(of: id, limit: 10) == nil)
    _ = try await folder().write([1, 2, 3], of: record(id.text, noon()))
    #expect(await folder().image(of: id, limit: 3) == [1, 2, 3])
    #expect(await folder().image(of: id, limit: 2) == nil)
  }

  @Test func theLastLineOfAnEventCounts() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    var ended = record("a", noon())
    try await folder().append(ended)
    ended.end = noon() + 5_000
    try await folder().append(ended)
    #expect(await folder().events(since: 0, limit: 10) == [ended])
  }

  /// As daemons of before wrote them, and one of a kind that a later one knows.
  @Test func storedLinesAreReadAndListedAsTheyWere() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lines = [
      """
      {"archives":["a1"],"camera":"gate","clockSynchronized":true,"detail":"covered","end":1795521605000,\
      "id":"20261124T120000Z-9f3c01ab","kind":"tamper","picture":"20261124T120000Z-9f3c01ab.jpg",\
      "region":{"height":4,"width":3,"x":1,"y":2},"score":80,"source":"my <yard>","start":1795521600000}
      """,
      """
      {"clockSynchronized":false,"id":"20261124T115959Z-9f3c01ac","kind":"flood","score":1,"source":"hall",\
      "start":1795521599000}
      """,
    ]
    try FileManager.default.createDirectory(atPath: "\(path)/2026-11-24", withIntermediateDirectories: true)
    try lines.joined(separator: "\n").write(
      toFile: "\(path)/2026-11-24/events.jsonl", atomically: false, encoding: .utf8)
    let events = await folder().events(since: 0, limit: 10)
    #expect(events.map(\.knownKind) == [.tamper, nil])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(try events.map { String(decoding: try encoder.encode($0), as: UTF8.self) } == lines)
  }

  @Test func aTornLineCostsItselfAlone() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await folder().append(record("a", noon()))
    let file = try #require(FileHandle(forWritingAtPath: "\(path)/2026-11-24/events.jsonl"))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"id\":\"b\",\"ki".utf8))
    try file.close()
    try await folder().append(record("c", noon()))
    #expect(await folder().events(since: 0, limit: 10).map(\.id).sorted() == ["a", "c"])
  }

  @Test func aFullDayTakesNoMore() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await folder().append(record("a", noon()))
    #expect(truncate("\(path)/2026-11-24/events.jsonl", 4 * 1_048_576) == 0)
    await #expect(throws: SystemCallError.self) { try await folder().append(record("b", noon())) }
  }

  @Test func framesReplaceEachOther() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try await folder().write([1, 2, 3], of: record("a", noon())) == "a.jpg")
    #expect(try await folder().write([4], of: record("a", noon())) == "a.jpg")
    #expect(FileManager.default.contents(atPath: "\(path)/2026-11-24/a.jpg") == Data([4]))
    #expect(names("2026-11-24") == ["a.jpg"])
  }

  @Test func oldDaysGoIfTheClockIsTrusted() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    for days in [0, 5, 40] as [Int64] { try await folder().append(record("d\(days)", noon(daysBefore: days))) }
    try await folder().append(record("unset", 5_000))
    await folder().prune(now: nil, today: "2026-11-24")
    #expect(await folder().events(since: 0, limit: 10).count == 4)
    await folder().prune(now: noon(), today: "2026-11-24")
    #expect(await folder().events(since: 0, limit: 10).map(\.id) == ["d0", "d5", "unset"])
  }

  /// The clock was set back to where it had been wrong, or has been set forward since.
  @Test func whatWasWrittenJustNowIsNotTooOldByAnyClock() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = folder()
    try await folder.append(record("a", noon(daysBefore: 40)))
    await folder.prune(now: noon(), today: "2026-11-24")
    #expect(await folder.events(since: 0, limit: 10).map(\.id) == ["a"])
  }

  @Test func theOldestDayGoesWhenAllTakeTooMuchThenPicturesOfToday() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let picture = [UInt8](repeating: 0, count: 1_000)
    for days in [0, 1, 2] as [Int64] {
      _ = try await folder().write(picture, of: record("d\(days)", noon(daysBefore: days)))
    }
    await folder(bytes: 2_500).prune(now: noon(), today: "2026-11-24")
    #expect(names() == ["2026-11-23", "2026-11-24"])
    _ = try await folder().write(picture, of: record("d3", noon()))
    await folder(bytes: 1_500).prune(now: noon(), today: "2026-11-24")
    #expect(names() == ["2026-11-24"])
    #expect(names("2026-11-24") == ["d3.jpg"])
    // A clock that was not set after a restart.
    await folder(bytes: 10).prune(now: nil, today: "1970-01-01")
    #expect(names().isEmpty)
  }

  @Test func muchThatWasWrittenMakesPruningDue() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = folder(bytes: 16_000)
    _ = try await folder.write([UInt8](repeating: 0, count: 900), of: record("a", noon()))
    #expect(await !folder.isPruningDue)
    _ = try await folder.write([UInt8](repeating: 0, count: 900), of: record("b", noon()))
    #expect(await folder.isPruningDue)
    await folder.prune(now: noon(), today: "2026-11-24")
    #expect(await !folder.isPruningDue)
  }

  @Test func checkingLeavesNothing() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await folder().check()
    #expect(names().isEmpty)
  }

  @Test func otherFoldersAreLeftAlone() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: "\(path)/2020-1-1", withIntermediateDirectories: true)
    await folder(bytes: 1).prune(now: noon(), today: "2026-11-24")
    #expect(names() == ["2020-1-1"])
  }
}
