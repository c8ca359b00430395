import CallPolicy
import Foundation
import Testing

@testable import DeviceConfiguration

@Suite("Time zones")
struct TimeZoneTests {
  @Test(
    "offsets agree with Foundation from 1975 to 2100",
    arguments: [
      "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo",
      "Europe/Dublin", "UTC", "Pacific/Apia", "Etc/GMT+5", "Asia/Tehran", "America/St_Johns",
    ])
  func agreement(name: String) throws {
    let table = try #require(TimeZoneTable(name: name))
    let reference = try #require(TimeZone(identifier: name))
    let start = Date(timeIntervalSince1970: 157_766_400)
    for step in 0..<12_000 {
      let date = start.addingTimeInterval(Double(step) * 329_817)
      let time = Int64(date.timeIntervalSince1970)
      #expect(table.offset(at: time) == reference.secondsFromGMT(for: date), "\(name) at \(date)")
    }
  }

  @Test(
    "names that could leave the database are refused",
    arguments: ["", "../etc/passwd", "/etc/localtime", "No/Such", "Europe//Berlin", "."])
  func names(name: String) { #expect(TimeZoneTable(name: name) == nil) }

  @Test("truncated files are refused, not trapped on")
  func truncation() throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
    #expect(TimeZoneTable(bytes: bytes) != nil)
    for length in 0..<bytes.count { #expect(TimeZoneTable(bytes: Array(bytes.prefix(length))) == nil) }
  }

  @Test("a system without a zone runs on UTC, one whose zone cannot be read on nobody knows what")
  func systemZone() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "localtime").path
    #expect(PolicyClock.systemOffset(at: 0, path: path) == 0)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nonexistent/zone")
    #expect(PolicyClock.systemOffset(at: 0, path: path) == nil)
  }

  @Test("local times are those of the zones asked for")
  func localTimes() {
    // 2026-07-04 22:30:00 UTC, a Saturday.
    let times = PolicyClock.localTimes(
      in: [.named("Europe/Berlin"), .named("UTC"), .named("Nowhere")], at: 1_783_204_200, isClockTrusted: true)
    #expect(
      times == [
        .named("Europe/Berlin"): LocalTime(weekday: .sunday, minuteOfDay: 30, isClockTrusted: true),
        .named("UTC"): LocalTime(weekday: .saturday, minuteOfDay: 22 * 60 + 30, isClockTrusted: true),
      ])
  }
}
