import HubCore
import HubStore
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// What devices say of themselves, and who sees it.
@Suite(.timeLimit(.minutes(1)))
struct DeviceReportTests {
  private func announce(_ device: Member, _ report: DeviceReport?, at hub: HubFixture) async throws {
    var update = PresenceUpdate(kind: .device, isAudio: true, isVideo: true)
    (update.report, update.permits) = (report, ["call", "watch"])
    #expect(try await hub.send(.PUT, "/v1/presence", update, by: device).status == 204)
  }

  private func entry(of device: Member, for administrator: Member, at hub: HubFixture) async throws -> AccountEntry {
    let list = try await hub.send(.GET, "/v1/devices", by: administrator).decode(AccountList.self)
    return try #require(list.items.first { $0.id == device.id })
  }

  @Test func theLastReportIsKeptAlsoWhileTheDeviceIsOffline() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let device = try await hub.addDevice("door")
      #expect(try await entry(of: device, for: chief, at: hub).report == nil)
      var report = DeviceReport(version: "1.2", uptime: 60, cameras: 1, isClockSynchronized: true)
      (report.problems, report.problem) = (["camera"], "/dev/video0: no such device")
      try await announce(device, report, at: hub)
      // A heartbeat without one changes nothing.
      try await announce(device, nil, at: hub)
      #expect(try await hub.send(.DELETE, "/v1/presence", by: device).status == 204)
      report.permits = ["call", "watch"]
      let seen = try await entry(of: device, for: chief, at: hub)
      #expect(seen.report == report && seen.reportedAt != nil && !seen.isOnline)
    }
  }

  @Test func reportsOfPersonsAndOfDevicesWithoutAccountAreNone() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("chief", role: .administrator)
      let report = DeviceReport(version: "1", uptime: 1, cameras: 0, isClockSynchronized: true)
      try await announce(chief, report, at: hub)
      let list = try await hub.send(.GET, "/v1/accounts", by: chief).decode(AccountList.self)
      #expect(list.items.allSatisfy { $0.report == nil })
      #expect(try await hub.metric("device_problems{part=\"camera\"}") == 0)
    }
  }

  @Test func prometheusCountsVersionsAndParts() async throws {
    try await HubFixture.run { hub in
      for (title, problems) in [
        ("one", ["camera", "camera yard"]), ("two", ["camera", "archives", "toaster"]), ("three", []),
      ] {
        let device = try await hub.addDevice(title)
        var report = DeviceReport(version: "1.2", uptime: 60, cameras: 1, isClockSynchronized: true)
        report.problems = problems
        try await announce(device, report, at: hub)
      }
      #expect(try await hub.metric("devices_reporting{version=\"1.2\"}") == 3)
      for (part, count) in [("camera", 2), ("archives", 1), ("other", 1), ("microphone", 0)] {
        #expect(try await hub.metric("device_problems{part=\"\(part)\"}") == count)
      }
    }
  }

  @Test("whatever a device sends is kept within bounds")
  func bounds() {
    var report = DeviceReport(
      version: String(repeating: "9", count: 5_000), uptime: -1, cameras: -7, isClockSynchronized: false)
    report.problems = Array(repeating: "camera \u{1B}[31m\u{202E}" + String(repeating: "ü", count: 400), count: 500)
    report.problem = "line\nfeed" + String(repeating: "€", count: 1_000)
    (report.diskFree, report.diskCapacity, report.temperature) = (-5, .max, .nan)
    (report.lastEvent, report.lastEventAt) = (String(repeating: "e", count: 99), .max)
    report.permits = ["call", "call", "everything", "watch"]
    let bounded = report.bounded
    #expect(bounded.version.utf8.count == 32 && bounded.uptime == 0 && bounded.cameras == 0)
    #expect(bounded.problems.count == 8 && bounded.problems.allSatisfy { $0.utf8.count <= 40 })
    #expect(bounded.problems.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
    #expect(bounded.problem.map { $0.utf8.count <= 160 && $0.hasPrefix("linefeed€") } == true)
    #expect(bounded.diskFree == nil && bounded.diskCapacity == .max && bounded.temperature == nil)
    #expect(bounded.lastEvent?.count == 32 && bounded.lastEventAt == nil && bounded.permits == ["call", "watch"])
    #expect(bounded.bounded == bounded)
  }
}
