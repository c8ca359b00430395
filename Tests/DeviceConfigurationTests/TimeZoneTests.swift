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
    #expect(DeviceTimeZone(variable: nil, path: path).offset(at: 0) == 0)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nonexistent/zone")
    #expect(DeviceTimeZone(variable: nil, path: path).offset(at: 0) == nil)
  }

  /// 2026-07-04 22:30:00 UTC.
  private static let summer: Int64 = 1_783_204_200

  @Test(
    "TZ goes before the system's file, as the C library has it",
    arguments: [
      ("Europe/Berlin", 7_200), (":America/New_York", -14_400), ("/usr/share/zoneinfo/Asia/Kolkata", 19_800),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 7_200), ("UTC", 0), ("", 0), ("No/Such", 0),
    ])
  func variable(name: String, offset: Int) {
    let zone = DeviceTimeZone(variable: name, path: "/usr/share/zoneinfo/Pacific/Auckland")
    #expect(zone.offset(at: Self.summer) == offset)
  }

  @Test("the process's zone is that of the C library")
  func sameAsTheLibrary() {
    var (seconds, fields) = (time_t(Self.summer), tm())
    localtime_r(&seconds, &fields)
    #expect(DeviceTimeZone.current.offset(at: Self.summer) == fields.tm_gmtoff)
  }

  @Test("a zone is named with what it comes from")
  func texts() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "localtime").path
    #expect(DeviceTimeZone(variable: nil, path: path).text(at: Self.summer) == "UTC, UTC+00:00 (\(path))")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: "/usr/share/zoneinfo/America/St_Johns")
    #expect(DeviceTimeZone(variable: nil, path: path).text(at: Self.summer) == "America/St_Johns, UTC-02:30 (\(path))")
    #expect(
      DeviceTimeZone(variable: "Europe/Berlin", path: path).text(at: Self.summer) == "Europe/Berlin, UTC+02:00 (TZ)")
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
