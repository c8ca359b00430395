import ControlMessages
import Foundation
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import livesessions

/// What must not leave the device, planted wherever it could be.
private enum Planted {
  static let key = "q7Kf-enrolment-9ZtX2"
  static let pin = "834719"
  static let httpToken = "b6f1c0ffee5ecret7c9d2a"
  static let uploadSecret = "AKIDPLANTED:wJalrXUtnFEMIK7MDENG"
  static let journalToken = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1MSJ9.c2lnbmF0dXJl"
  static let environment = "EnvironmentTopSecret42"
  static let texts = [
    key, pin, httpToken, "AKIDPLANTED", "wJalrXUtnFEMIK7MDENG", journalToken, "eyJhbGciOiJFZERTQSJ9", environment,
    "Quibblethorpe", "Zoë", "Müllerstraße", "hub.quibble.example", "cctv-quibble", "10.23.45.67", "2001:db8:77::9",
    "52:54:00:ab:cd:ef", "52.51631", "13.37771", "camuser", "campass9", "ann@quibble.example", "+49171",
    "comment-secret",
    "Gate ☎", "Olga", "north-wing", "ops-team",
  ]

  static func device(_ folder: String) -> String {
    """
    # comment-secret: ask Quibblethorpe, PIN \(pin)
    [device]
    title = "Quibblethorpe Müllerstraße"
    [hub]
    url = "https://hub.quibble.example/base"
    enrolment_key_file = "\(folder)/key"
    [video]
    camera = { exec = ["/usr/bin/ffmpeg", "-i", "rtsp://camuser:campass9@10.23.45.67/cctv-quibble", "-"], \
    format = "yuv420p", width = 640, height = 480, frame_rate = 25 }
    width = 640
    height = 480
    [network]
    addresses = ["10.23.45.67", "2001:db8:77::9"]
    [http]
    listen = "127.0.0.1:8090"
    token_file = "\(folder)/token"
    [upload]
    endpoint = "https://store.quibble.example"
    bucket = "cctv-quibble"
    credentials_file = "\(folder)/upload"
    [[geofence]]
    name = "Müllerstraße"
    latitude = 52.51631
    longitude = 13.37771
    radius = "100m"
    """
  }

  static func policy(_ folder: String) -> String {
    """
    default = "reject"
    [[rule]]
    name = "ops-team"
    caller = ["user:Olga", "group:north-wing"]
    action = "answer"
    [[action_rule]]
    action = ["open-door"]
    caller = ["group:north-wing"]
    pin = "\(folder)/pin"
    """
  }

  static let journal = """
    2026-11-28T10:00:00+0000 livesessionsd[812]: call from Zoë Quibblethorpe (u-77281aa9) answered by rule "ops-team"
    2026-11-28T10:00:01+0000 livesessionsd[812]: cannot reach the hub: https://hub.quibble.example/v1/events?token=\(journalToken)
    2026-11-28T10:00:02+0000 livesessionsd[812]: candidate 10.23.45.67 port 40001, 2001:db8:77::9, mac 52:54:00:ab:cd:ef
    2026-11-28T10:00:03+0000 livesessionsd[812]: position 52.51631, 13.37771; mail to ann@quibble.example, phone +49171 2345678
    2026-11-28T10:00:04+0000 livesessionsd[812]: Authorization: Bearer \(journalToken) PIN \(pin) key \(key) \(httpToken)
    2026-11-28T10:00:05+0000 livesessionsd[812]: \(uploadSecret) rtsp://camuser:campass9@10.23.45.67/cctv-quibble \(environment)

    """
}

@Suite("The report for those who help", .serialized)
struct ReportCommandTests {
  /// Runs the program with its files, a journal, and a running daemon.
  private func report(
    journal: String = Planted.journal,
    _ check: @escaping @Sendable (_ archive: URL, _ text: String, _ device: FakeDevice) throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ls-report-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
      try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.appending(path: name).path)
    }
    try write("device.toml", Planted.device(folder.path))
    try write("policy.toml", Planted.policy(folder.path))
    try write("key", Planted.key + "\n")
    try write("pin", Planted.pin + "\n")
    try write("token", Planted.httpToken + "\n")
    try write("upload", Planted.uploadSecret + "\n")
    try write("journal", journal)
    try write("journalctl", "#!/bin/sh\nexec cat \(folder.path)/journal\n", mode: 0o755)
    try await withServer { device, socket in
      device.problems.withLock {
        $0 = [ProblemStatus(part: .hub, text: "cannot reach the hub: hub.quibble.example at 10.23.45.67", since: 1)]
      }
      let archive = folder.appending(path: "report.tar.gz")
      let run = try run(
        "livesessions",
        ["report", "--config", "\(folder.path)/device.toml", "--socket", socket, "--output", archive.path],
        ["PATH": "\(folder.path):/usr/bin:/bin", "LIVESESSIONS_TEST_SECRET": Planted.environment])
      #expect(run.status == 0)
      #expect(String(decoding: run.output, as: UTF8.self) == "\(archive.path)\n")
      let text = String(decoding: try self.run("/bin/gzip", ["-dc", archive.path]).output, as: UTF8.self)
      try check(archive, text, device)
    }
  }

  private func run(
    _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (status: Int32, output: Data) {
    let process = Process()
    let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = program.hasPrefix("/") ? URL(filePath: program) : beside.appending(path: program)
    process.arguments = arguments
    process.environment = ["TZ": "UTC", "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data)
  }

  @Test("secrets, names and addresses that were planted everywhere are in none of its files")
  func planted() async throws {
    try await report { archive, text, _ in
      for secret in Planted.texts { #expect(!text.contains(secret), "\(secret) is in the report") }
      let mode = try FileManager.default.attributesOfItem(atPath: archive.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let names = String(decoding: try run("/bin/tar", ["-tzf", archive.path]).output, as: UTF8.self)
        .split(separator: "\n").map { $0.split(separator: "/").last.map { String($0) } }
      #expect(
        names == [
          "README.txt", "versions.json", "doctor.json", "status.json", "stats.json", "device.toml", "policy.toml",
          "journal.txt",
        ])
    }
  }

  @Test("what helps stays: settings, verdicts, numbers, the program's own words")
  func useful() async throws {
    try await report { _, text, _ in
      for line in [
        "width = 640", "frame_rate = 25", "default = \"reject\"", "action = \"answer\"", "latitude = (hidden)",
        "2026-11-28T10:00:01+0000 livesessionsd[812]: cannot reach the hub: <", "port 40001", "\"isOnline\" : true",
        "\"program\" : \"", "\"verdict\" : \"",
      ] {
        #expect(text.contains(line), "\(line) is missing")
      }
    }
  }

  @Test("a journal without end makes no large report, and its end is what stays")
  func bounded() async throws {
    let line = "2026-11-28T10:00:00+0000 livesessionsd[812]: the camera delivers no frame\n"
    let journal = String(repeating: line, count: 60_000) + "2026-11-28T11:11:11+0000 livesessionsd[812]: the end\n"
    try await report(journal: journal) { archive, text, _ in
      #expect(text.utf8.count < 2_500_000 && text.contains("11:11:11"))
      let size = try FileManager.default.attributesOfItem(atPath: archive.path)[.size] as? Int
      #expect((size ?? .max) < 1_000_000)
    }
  }

  @Test("a file that cannot be written, and a daemon that is not there, are no crash")
  func failures() throws {
    let nowhere = try run(
      "livesessions", ["report", "--socket", "/nonexistent/c", "--output", "/nonexistent/r.tar.gz"])
    #expect(nowhere.status == 1)
  }
}

@Suite("What the hub knows of a device's parts")
struct ReportedPartTests {
  @Test("it knows each part that may fail")
  func parts() {
    #expect(Set(DevicePart.allCases.map(\.rawValue)) == Set(DeviceReport.parts))
  }
}
