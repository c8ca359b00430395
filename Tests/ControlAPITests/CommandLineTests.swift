import ControlMessages
import Foundation
import Signalling
import Synchronization
import Testing

@testable import livesessions

/// Runs the program that the package builds beside the tests.
private func livesessions(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
  let process = Process()
  let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  process.executableURL = folder.appending(path: "livesessions")
  process.arguments = arguments
  process.environment = ["TZ": "UTC"]
  let output = Pipe()
  let errors = Pipe()
  process.standardOutput = output
  process.standardError = errors
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text, complaint)
}

@Suite("The livesessions program")
struct CommandLineTests {
  private static let samples = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../etc/livesessions").path

  @Test("status is for people, with --json for programs")
  func status() async throws {
    try await withServer { _, path in
      let text = try livesessions("--socket", path, "status")
      #expect(
        text.output == """
          Gate ☎, online at http://127.0.0.1
          user     d1
          version  1.0
          started  1970-01-01T00:00:00Z
          clock    not synchronised, so rules with hours do not match
          camera  test:bars  streaming  640×480 at 30/s  30.0/s, 3 dropped
          sessions:
            s1  Ann (u1)  connected  1970-01-01T00:00:00Z    not recorded
          recordings:
            a2  of s1  since 1970-01-01T00:00:00Z  1.5 MB  2 frames dropped

          """)
      let json = try livesessions("status", "--socket", path, "--json")
      #expect(json.status == 0)
      #expect(try JSONDecoder().decode(DeviceStatus.self, from: Data(json.output.utf8)).title == "Gate ☎")
    }
  }

  @Test("requests reach the daemon, refusals end with 1 and a line")
  func requests() async throws {
    try await withServer { fake, path in
      #expect(try livesessions("hangup", "s1", "--socket", path).status == 0)
      #expect(try livesessions("mute", "camera", "--socket", path).status == 0)
      #expect(try livesessions("chat", "s1", "hello there", "--socket", path).status == 0)
      #expect(try livesessions("archive", "start", "--socket", path).output == "a2\n")
      #expect(fake.recordedCalls == ["hangUp s1", "mute camera true", "chat s1 hello there", "start all"])
      let refused = try livesessions("hangup", "s9", "--socket", path)
      #expect(refused.status == 1)
      #expect(refused.errors == "livesessions: there is no session s9\n")
      let problems = try livesessions("archive", "verify", "--socket", path)
      #expect(problems.status == 1)
      #expect(problems.output == "a1 has problems:\n  torn\n")
    }
  }

  private static func event(_ name: String, _ text: String, session: String = "s2") -> DeviceEvent {
    DeviceEvent(name: name, time: 1, sessionID: session, userID: "u1", text: text)
  }

  @Test("a call is placed, and its id printed")
  func call() async throws {
    try await withServer { fake, path in
      let placed = try livesessions("call", "Ann", "--audio-only", "--socket", path)
      #expect(placed.status == 0)
      #expect(placed.output == "s2\n")
      #expect(fake.recordedCalls == ["call Ann audio"])
      let unknown = try livesessions("call", "Bob", "--socket", path)
      #expect(unknown.status == 5)
      #expect(
        unknown.errors
          == "livesessions: nobody who is online has the id or the title \"Bob\"; see who is: livesessions users\n")
    }
  }

  @Test("a call that is waited for is followed until it is answered")
  func answeredCall() async throws {
    try await withServer { fake, path in
      fake.callEvents.withLock {
        $0 = [
          Self.event("call.outgoing", "Ann"), Self.event("call.calling", "Ann"),
          Self.event("call.ended", "hangup", session: "another"), Self.event("call.ringing", "Ann"),
          Self.event("call.answered", "Ann"),
        ]
      }
      let placed = try livesessions("call", "Ann", "--wait", "--socket", path)
      #expect(placed.status == 0)
      #expect(placed.output == "s2\ncalling Ann\nAnn is being rung\nAnn has answered\n")
      #expect(fake.recordedCalls == ["call Ann all"])
    }
  }

  @Test(
    "a call that is not answered says why, with a code for scripts",
    arguments: [
      ("call.ended", "unanswered", 3, "nobody answered within a minute"),
      ("call.rejected", "declined", 4, "the call was declined"),
      ("call.ended", "receiver-offline", 5, "the other side is not online"),
      ("call.ended", "hub-unreachable", 1, "the hub cannot be reached"),
      ("call.ended", "earthquake", 1, "the call ended: earthquake"),
    ])
  func unansweredCall(name: String, reason: String, status: Int32, words: String) async throws {
    try await withServer { fake, path in
      fake.callEvents.withLock { $0 = [Self.event("call.calling", "Ann"), Self.event(name, reason)] }
      let placed = try livesessions("call", "Ann", "--wait", "--socket", path)
      #expect(placed.status == status)
      #expect(placed.errors == "livesessions: \(words)\n")
    }
  }

  @Test("a wait for a call ends with the daemon's error")
  func refusedCall() async throws {
    try await withServer { _, path in
      let unknown = try livesessions("call", "Bob", "--wait", "--socket", path)
      #expect(unknown.status == 5)
      let unheard = try livesessions("call", "Ann", "--wait", "--socket", path + "-none")
      #expect(unheard.status == 69)
    }
  }

  @Test(
    "every reason that a call may end for has words",
    arguments: RejectReason.allCases.map(\.rawValue) + EndReason.allCases.map(\.rawValue))
  func words(reason: String) {
    #expect(CallOutcome.words(for: reason) != "the call ended: \(reason)")
  }

  @Test("archives are listed, shown and looked after through the daemon")
  func archives() async throws {
    try await withServer { fake, path in
      let list = try livesessions("archive", "list", "--socket", path)
      #expect(list.output == "a1  1970-01-01T00:00:00Z  00:00:02  3 B  stopped  locked  gate\n")
      let shown = try livesessions("archive", "show", "a1", "--socket", path)
      #expect(
        shown.output == """
          id        a1
          name      gate
          status    stopped
          locked    yes
          started   1970-01-01T00:00:00Z
          duration  00:00:02
          size      3 B
          session   s1
          caller    u1
          files:
            device.webm  device  00:00:00.000 - 00:00:02.040  3 B  VP8 640x480, Opus mono
            track.gpx

          """)
      #expect(try livesessions("archive", "lock", "a1", "--socket", path).status == 0)
      #expect(try livesessions("archive", "unlock", "a1", "--socket", path).status == 0)
      #expect(try livesessions("archive", "rename", "a1", "back door", "--socket", path).status == 0)
      #expect(try livesessions("archive", "repair", "a1", "--socket", path).output == "cut\n")
      #expect(try livesessions("archive", "delete", "a3", "a4", "--socket", path).status == 0)
      let refused = try livesessions("archive", "delete", "a1", "--socket", path)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("archive a1 is locked"))
      #expect(try livesessions("archive", "delete", "a1", "--force", "--socket", path).status == 0)
      #expect(
        fake.recordedCalls.filter { !$0.hasPrefix("list") } == [
          "lock a1 true", "lock a1 false", "rename a1 back door", "repair a1", "delete a3", "delete a4", "delete a1",
        ])
    }
  }

  @Test("archives in a folder need no daemon")
  func archivesInAFolder() async throws {
    try await withTemporaryFolder { folder in
      let archive = "\(folder)/2026/11/21/a1"
      try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
      let manifest = """
        {"clockSynchronized":true,"createdAt":1795262400000,"duration":0,"files":[],"hasAudio":true,"hasVideo":true,\
        "id":"a1","name":"","outputMode":"individual","reason":"","sessionId":"s","size":0,"status":"available",\
        "streamMode":"auto"}
        """
      try manifest.write(toFile: "\(archive)/archive.json", atomically: true, encoding: .utf8)
      #expect(try livesessions("archive", "rename", "a1", "gate", "--directory", folder).status == 0)
      #expect(try livesessions("archive", "lock", "a1", "--directory", folder).status == 0)
      let list = try livesessions("archive", "list", "--directory", folder).output
      #expect(list == "a1  2026-11-21T12:00:00Z  00:00:00  0 B  available  locked  gate\n")
      let shown = try livesessions("archive", "show", "a1", "--json", "--directory", folder).output
      #expect(try JSONDecoder().decode(ArchiveDetail.self, from: Data(shown.utf8)).archive.isLocked)
      let nothing = try livesessions("archive", "export", "a1", "--output", "\(folder)/x.webm", "--directory", folder)
      #expect(nothing.status == 1 && nothing.errors.contains("neither pictures nor sound"))
      #expect(try livesessions("archive", "delete", "a1", "--directory", folder).status == 1)
      #expect(try livesessions("archive", "show", "a2", "--directory", folder).errors.contains("no archive a2"))
      #expect(try livesessions("archive", "list", "--directory", "\(folder)/none").status == 64)
      #expect(try livesessions("archive", "rename", "a1", "a\nb", "--directory", folder).status == 1)
    }
  }

  @Test("without a daemon it says so, and how to start it")
  func notRunning() throws {
    let result = try livesessions("status", "--socket", "/nonexistent/control")
    #expect(result.status == 69)
    #expect(
      result.errors == "livesessions: the daemon is not running: nobody listens at /nonexistent/control; "
        + "start it with: systemctl start livesessionsd\n")
  }

  @Test("a policy is explained rule by rule")
  func explain() throws {
    let result = try livesessions(
      "policy", "explain", "--policy", "\(Self.samples)/policy.toml", "--caller", "user:u1", "--role", "operator",
      "--video")
    #expect(
      result.output == """
        no match: "one call at a time": no call is up
        matches: "operators": caller is role:operator
        decision: answer: publish audio and video, caller may talk, at most 30m, recorded, with a tone

        """)
    #expect(try livesessions("policy", "explain", "--caller", "u1").status == 64)
  }

  @Test("mistakes in configuration files are printed with their places and end with 78")
  func check() async throws {
    let good = try livesessions("config", "check", "\(Self.samples)/device.toml", "\(Self.samples)/policy.toml")
    #expect(good.status == 0)
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let file = "\(folder)/policy.toml"
      try "[[rule]]\nwhitin = \"5km\"\naction = \"answer\"\n".write(toFile: file, atomically: true, encoding: .utf8)
      let bad = try livesessions("config", "check", file)
      #expect(bad.status == 78)
      #expect(bad.output == "\(file):2:1: unknown key \"whitin\" in [[rule]]; did you mean \"within\"?\n")
    }
  }
}
