import ArgumentParser
import ControlMessages
import Foundation
import SystemSupport
import Signalling
import MediaPlaneAPI
import Testing

@testable import livesessions

/// Runs the program that the package builds beside the tests.
private func livesessions(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
  try livesessions(arguments)
}

private func livesessions(
  _ arguments: [String], environment: [String: String] = [:]
) throws -> (status: Int32, output: String, errors: String) {
  let process = Process()
  let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  process.executableURL = folder.appending(path: "livesessions")
  process.arguments = arguments
  process.environment = ["TZ": "UTC"].merging(environment) { $1 }
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

/// One after the other: each waits for a program on a thread that the server's tasks need as well.
@Suite("The livesessions program", .serialized)
struct CommandLineTests {
  private static let samples = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../etc/livesessions").path

  @Test("actions are listed, run with a PIN from standard input alone, and refused in words")
  func actions() async throws {
    try await withServer { device, path in
      #expect(try livesessions("action", "list", "--socket", path).output == "open-door: allowed, with the PIN\n")
      let refused = try livesessions("action", "run", "open-door", "--socket", path)
      #expect(refused.status == 1)
      #expect(refused.errors == "livesessions: action open-door: the PIN is needed\n")
      #expect(!device.recordedCalls.contains("action open-door"))
      var client = try ControlClient(path: path)
      _ = try client.call(.runAction, RunActionParameters(name: "open-door", pin: "4711"))
      #expect(device.recordedCalls.contains("action open-door"))
    }
  }

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
          clock    not synchronised, so no rule with hours admits a call
          camera  test:bars  streaming  640×480 at 30/s  30.0/s, 3 dropped
          sessions:
            s1  Ann (u1)  connected  1970-01-01T00:00:00Z    not recorded
          recordings:
            a2  of s1, with Ann  since 1970-01-01T00:00:00Z  1.5 MB  1.4 s not on the disk yet  2 frames dropped

          """)
      let json = try livesessions("status", "--socket", path, "--json")
      #expect(json.status == 0)
      #expect(try JSONDecoder().decode(DeviceStatus.self, from: Data(json.output.utf8)).title == "Gate ☎")
    }
  }

  @Test("the figures can be shown once a day as well as ten times a second", arguments: ["0.1", "5000", "86400"])
  func longestInterval(interval: String) throws {
    let command = try StatsCommand.parse(["--watch", interval])
    #expect(Double(command.pause) == Double(interval)! * 1_000)
  }

  @Test(
    "spans of time have units, and count seconds without one",
    arguments: [
      ("90s", 90.0), ("15m", 900), ("2h", 7_200), ("7d", 604_800), ("1h30m", 5_400), ("500ms", 0.5), ("20", 20),
      ("0.1", 0.1),
    ])
  func spans(text: String, seconds: Double) {
    #expect((SpanExpression(text)?.duration).map { $0 / .seconds(1) } == seconds)
  }

  @Test("what is no span of time", arguments: ["", "m", "5 m", "-1", "nan", "inf", "1e30", "2h ago", "soon"])
  func noSpans(text: String) { #expect(SpanExpression(text) == nil) }

  @Test("status tells of a folder for archives that is not in order, and exits with 1")
  func brokenArchives() async throws {
    try await withServer { fake, path in
      fake.archives.withLock { $0 = ("/a", nil) }
      let whole = try livesessions("--socket", path, "status")
      #expect(whole.status == 0 && whole.output.contains("archives  /a"))
      fake.archives.withLock { $0 = ("/a", "read-only: mount it") }
      for option in [[], ["--json"]] {
        let broken = try livesessions(["status", "--socket", path] + option)
        #expect(broken.status == 1 && broken.output.contains("read-only: mount it"))
      }
    }
  }

  @Test("status tells what does not work before all else, and what did not at the end")
  func problems() async throws {
    try await withServer { fake, path in
      fake.problems.withLock {
        $0 = [
          ProblemStatus(part: .camera, text: "no permission; join video", since: 1_000),
          ProblemStatus(part: .hub, text: "gone", since: 1_000, until: 2_000),
        ]
      }
      let lines = try livesessions("--socket", path, "status").output.split(separator: "\n")
      #expect(
        lines[1...2] == ["PROBLEMS:", "  camera  since 1970-01-01T00:00:01Z  no permission; join video"])
      #expect(lines.suffix(2) == ["problems that are over:", "  hub  until 1970-01-01T00:00:02Z  gone"])
    }
  }

  @Test("doctor asks a daemon that runs, tells what to do, and fails if something does not work")
  func doctor() async throws {
    try await withServer { fake, path in
      let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let settings = """
        [device]
        title = "Gate"
        state_directory = "\(folder)"
        [hub]
        url = "http://127.0.0.1:9"
        [video]
        camera = "none"
        [audio]
        microphone = "none"
        speaker = "none"
        [archive]
        min_free = "1MiB"
        """
      try settings.write(toFile: "\(folder)/device.toml", atomically: true, encoding: .utf8)
      try "default = \"reject\"\n".write(toFile: "\(folder)/policy.toml", atomically: true, encoding: .utf8)
      let user = String(cString: getpwuid(geteuid()).pointee.pw_name)
      let arguments = [
        "doctor", "--config", "\(folder)/device.toml", "--policy", "\(folder)/policy.toml", "--user", user, "--socket",
        path,
      ]
      let good = try livesessions(arguments)
      #expect(good.status == 0, "\(good.output)")
      let lines = good.output.split(separator: "\n")
      #expect(lines.contains("ok       hub            http://127.0.0.1 shows this device as \"Gate ☎\""))
      #expect(lines.contains("ok       camera         test:bars is streaming, 640×480 at 30/s"))
      #expect(lines.contains("warning  clock          is not synchronised"))
      fake.problems.withLock { $0 = [ProblemStatus(part: .camera, text: "unplugged", since: 1)] }
      let bad = try livesessions(arguments + ["--json"])
      #expect(bad.status == 1)
      #expect(bad.output.contains(#"{"part":"camera","text":"unplugged","verdict":"failure"}"#))
    }
  }

  @Test(
    "a misspelt command is told with the one that was meant",
    arguments: [
      (["statsu"], "'statsu'; did you mean 'status'?"), (["--socket", "/x", "montior"], "did you mean 'monitor'?"),
      (["archive", "lits"], "did you mean 'list'?"), (["nonsense"], "'nonsense'; there are status, stats, users,"),
      (["status", "--jsn"], "'--jsn'; did you mean '--json'?"),
      (["policy", "explain", "--polcy=x"], "'--polcy'; did you mean '--policy'?"),
      (["archive", "list", "--limt", "3"], "'--limt'; did you mean '--limit'?"),
      (["status", "--nonsense"], "there is no option '--nonsense'"),
      (["policy", "explain"], "--caller"),
    ])
  func misspelt(arguments: [String], words: String) throws {
    let result = try livesessions(arguments)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test(
    "help and version are no mistakes",
    arguments: [["--help"], ["help", "stats"], ["stats", "--help"], ["--version"], []])
  func help(arguments: [String]) throws {
    let result = try livesessions(arguments)
    #expect(result.status == 0 && !result.output.isEmpty)
  }

  @Test("colours are for terminals, and not for who wants none")
  func colours() throws {
    func isColoured(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
      TerminalStyle.isColoured(isTerminal: isTerminal) { environment[$0] }
    }
    #expect(isColoured(true, ["NO_COLOR": "", "TERM": "xterm"]))
    #expect(!isColoured(false, [:]))
    #expect(!isColoured(true, ["NO_COLOR": "1"]))
    #expect(!isColoured(true, ["TERM": "dumb"]))
  }

  @Test("stats shows figures for people, with --json for programs, with --watch again and again")
  func stats() async throws {
    try await withServer { fake, path in
      let text = try livesessions("stats", "--socket", path).output
      #expect(text.contains("calls       1 of 16, incoming: none yet, outgoing: none yet\n"))
      #expect(text.contains("hub         connected for 00:01:30, 2 reconnects\n"))
      let json = try livesessions("stats", "--socket", path, "--json").output
      #expect(try JSONDecoder().decode(DeviceTelemetry.self, from: Data(json.utf8)) == fake.figures.withLock { $0 })
      #expect(try livesessions("stats", "5", "--socket", path).status == 64)
      #expect(try livesessions("stats", "--watch", "0", "--socket", path).status == 64)
      let twice = try beginning(of: ["stats", "--watch", "0.1", "--json", "--socket", path]) {}
      #expect(twice.hasPrefix("{\"calls\""))
    }
    #expect(try livesessions("stats", "--socket", "/nowhere").status == 69)
  }

  @Test("reload reaches the daemon by a signal when its socket does not answer")
  func reloadBySignal() throws {
    let (service, output) = (Process(), Pipe())
    service.executableURL = URL(filePath: "/bin/sh")
    service.arguments = ["-c", "trap 'exit 7' HUP; echo ready; while :; do sleep 0.1; done"]
    service.standardOutput = output
    try service.run()
    _ = output.fileHandleForReading.availableData
    #expect(try livesessions(["reload", "--socket", "/nowhere/control"]).status == 69)
    let environment = ["MAINPID": "\(service.processIdentifier)"]
    #expect(try livesessions(["reload", "--socket", "/nowhere/control"], environment: environment).status == 0)
    service.waitUntilExit()
    #expect(service.terminationStatus == 7)
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

  /// What a command that runs until it is ended prints first, while `stimulus` is repeated.
  private func beginning(of arguments: [String], _ stimulus: @escaping @Sendable () -> Void) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "livesessions")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let isOver = Mutex(false)
    let stimulation = Thread {
      while !isOver.withLock({ $0 }) {
        stimulus()
        usleep(20_000)
      }
    }
    stimulation.start()
    let bytes = output.fileHandleForReading.availableData
    isOver.withLock { $0 = true }
    // Other signals are blocked in what this thread starts.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("what others say commands no terminal", arguments: [false, true])
  func hostileText(isJSON: Bool) async throws {
    let text = "hi\r\n<0>x\u{1B}]52;c;QQ==\u{7}\u{9B}2J\u{202E}"
    try await withServer { fake, path in
      let output = try beginning(of: ["monitor", "--socket", path] + (isJSON ? ["--json"] : [])) {
        fake.events.yield(Self.event("chat", text))
      }
      let line = try #require(output.unicodeScalars.split(separator: "\n").first.map { String($0) })
      let words = #"hi\r\n<0>x\u{1B}]52;c;QQ==\u{7}\u{9B}2J\u{202E}"#
      #expect(line.hasSuffix(words) != isJSON)
      #expect(line.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) })
      guard isJSON else { return }
      #expect(try JSONDecoder().decode(DeviceEvent.self, from: Data(line.utf8)).text == text)
    }
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
          == "livesessions: no user who is online has the id or the title \"Bob\"; see who is: livesessions users\n")
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

  @Test("several are called by one command, which waits for the first who answers")
  func callOfSeveral() async throws {
    try await withServer { fake, path in
      fake.callEvents.withLock { events in
        events = [("hunt.calling", "calling a"), ("hunt.answered", "Bob")].map { name, text in
          var event = DeviceEvent(name: name, time: 1, text: text)
          event.hunt = "call"
          return event
        }
      }
      let placed = try livesessions(
        "call", "Ann", "user:b", "--hunt", "all-at-once", "--ring-for", "15", "--wait", "--socket", path)
      #expect(placed.output == "call\ncalling a\nBob has answered\n")
      #expect(placed.status == 0)
      #expect(fake.recordedCalls == ["hunt Ann+user:b all_at_once 15"])
      #expect(try livesessions("call", "Ann", "--ring-for", "61", "--socket", path).status == 64)
      #expect(try livesessions("call", "Ann", "--ring-for", "1m", "--socket", path).status == 0)
      #expect(fake.recordedCalls.last == "hunt Ann nil 60")
    }
  }

  @Test(
    "a call that is not answered says why, with a code for scripts",
    arguments: [
      ("call.ended", "unanswered", 3, "no answer"),
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
    #expect(CallOutcome.text(for: reason) != "the call ended: \(reason)")
  }

  @Test("archives are listed, shown and looked after through the daemon")
  func archives() async throws {
    try await withServer { fake, path in
      let list = try livesessions("archive", "list", "--socket", path)
      #expect(
        list.output == """
          ID  STARTED               DURATION  SIZE  CAUSE          STATUS   LOCKED  UPLOADED  NAME
          a1  1970-01-01T00:00:00Z  00:00:02  3 B   call with Ann  stopped  locked  -         gate

          """)
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

  @Test("a list says why each recording was made")
  func causes() {
    func archive(_ session: String, caller: String? = nil, receiver: String? = nil, plans: [String]? = nil) -> String {
      var archive = ArchiveSummary(
        archiveID: "a1", sessionID: session, status: "available", reason: "", createdAt: 100_000, duration: 2, size: 3,
        hasAudio: true, hasVideo: true, callerID: caller)
      (archive.receiverID, archive.plans) = (receiver, plans)
      return cause.text(of: archive)
    }
    var (late, early) = (Self.motion(at: 110_000), Self.motion(at: 90_000))
    (late.kind, late.archives, early.archives) = ("sound", ["a1"], ["a1"])
    var cause = ArchiveCause(
      users: [OnlineUser(userID: "u1", userTitle: "Ann", kind: "person", status: "available")], events: [late, early])
    #expect(archive("s", caller: "u1") == "call with Ann")
    #expect(archive("s", caller: "u2") == "call with u2")
    #expect(archive("s", caller: "d", receiver: "u1") == "call to Ann")
    #expect(archive("") == "manual")
    #expect(archive("", plans: ["yard"]) == "motion, plan yard")
    early.start = 30_000
    cause = ArchiveCause(events: [early])
    #expect(archive("", plans: ["yard", "nights"]) == "plan yard, nights")
  }

  private static func motion(at start: Int64) -> DetectedEvent {
    DetectedEvent(id: "e1", kind: .motion, source: "yard", start: start, score: 70, clockSynchronized: true)
  }

  @Test("recordings that show events are listed with the place at which those begin")
  func clips() async throws {
    func detail(_ id: String, _ start: Int64, timeLapse: Int64? = nil) -> ArchiveDetail {
      var detail = ArchiveDetail(
        archive: ArchiveSummary(
          archiveID: id, sessionID: "", status: "available", reason: "", createdAt: start, duration: 2, size: 3,
          hasAudio: true, hasVideo: true),
        clockSynchronized: true, callerID: nil, policyRule: nil, isInUse: false, files: [], otherFiles: [], problems: []
      )
      detail.timeLapseInterval = timeLapse
      return detail
    }
    var event = Self.motion(at: 160_000)
    (event.archives, event.end) = (["a1", "gone", "a2", "a3"], 190_000)
    let known = [detail("a1", 100_000), detail("a2", 100_000, timeLapse: 1_000), detail("a3", 170_000)]
    let archives = Dictionary(uniqueKeysWithValues: known.map { ($0.archive.archiveID, $0) })
    let clips = EventClips.clips(of: [event, event], in: archives)
    #expect(clips.map(\.archiveID) == ["a1", "a2", "a3", "a1", "a2", "a3"])
    #expect(clips.prefix(3).map(\.offset) == [60_000, 2_000, 0])
    #expect(clips.prefix(3).map(\.duration) == [30_000, 1_000, 20_000])
    try await withServer { _, path in
      let list = try livesessions("events", "--clips", "--socket", path).output
      #expect(list == "STARTED  LASTED  KIND  SOURCE  ARCHIVE  OFFSET\n")
      #expect(try livesessions("events", "--clips", "--watch", "--socket", path).status == 64)
    }
  }

  @Test("shells complete what the daemon knows, and nothing without it")
  func completions() async throws {
    #expect(Completions.socket(in: ["livesessions", "call", "--socket", "/a", "x"]) == "/a")
    #expect(Completions.socket(in: ["livesessions", "call", "--socket=/b"]) == "/b")
    #expect(Completions.socket(in: ["livesessions", "--socket"]) == nil)
    @Sendable func complete(_ command: [String], _ argument: String, _ socket: String) throws -> String {
      let words = ["livesessions"] + command + [""]
      // A busy machine needs more than the time after which nothing is offered.
      for _ in 0..<20 {
        let offered = try livesessions(
          ["---completion"] + command + ["--", argument, "\(words.count - 1)", "0"] + words,
          environment: ["LIVESESSIONS_SOCKET": socket]
        ).output
        if socket == "/nowhere" || offered.count > 1 { return offered }
      }
      return ""
    }
    try await withServer { _, path in
      let titles = try complete(["call"], "positional@0", path)
      #expect(titles == "Ann\n")
      #expect(try complete(["archive", "show"], "positional@0", path) == "a1\n")
      #expect(try complete(["action", "run"], "positional@0", path) == "open-door\n")
      #expect(try complete(["hangup"], "positional@0", path) == "s1\n")
      #expect(try complete(["camera"], "positional@1", path) == "device\nmosaic\n")
    }
    let without = try complete(["call"], "positional@0", "/nowhere")
    #expect(without == "" || without == "\n")
  }

  @Test("events and archives of a period are listed")
  func periods() async throws {
    try await withServer { fake, path in
      for command in [["events"], ["archive", "list"]] {
        func isListed(_ period: String...) throws -> Bool {
          try livesessions(command + period + ["--socket", path]).output.split(separator: "\n").count == 2
        }
        #expect(try isListed("--until", "1970-01-02"))
        #expect(try isListed("--since", "1970-01-01T00:00:00Z"))
        let isOld = try isListed("--since", "yesterday", "--until", "now")
        #expect(!isOld)
        #expect(try livesessions(command + ["--since", "soon", "--socket", path]).status == 64)
        #expect(try livesessions(command + ["--since", "now", "--until", "1h ago", "--socket", path]).status == 64)
      }
      #expect(try livesessions("events", "--watch", "--until", "now", "--socket", path).status == 64)
      #expect(fake.recordedCalls.contains("events 0 10000"))
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
      #expect(list.hasSuffix("a1  2026-11-21T12:00:00Z  00:00:00  0 B   call   available  locked  -         gate\n"))
      let shown = try livesessions("archive", "show", "a1", "--json", "--directory", folder).output
      #expect(try JSONDecoder().decode(ArchiveDetail.self, from: Data(shown.utf8)).archive.isLocked)
      let nothing = try livesessions("archive", "export", "a1", "--output", "\(folder)/x.webm", "--directory", folder)
      #expect(nothing.status == 1 && nothing.errors.contains("neither video nor audio"))
      #expect(try livesessions("archive", "delete", "a1", "--directory", folder).status == 1)
      #expect(try livesessions("archive", "show", "a2", "--directory", folder).errors.contains("no archive a2"))
      #expect(try livesessions("archive", "list", "--directory", "\(folder)/none").status == 64)
      #expect(try livesessions("archive", "rename", "a1", "a\nb", "--directory", folder).status == 1)
    }
  }

  @Test("others' files beside a recording are named and left alone; an archive that cannot be read is a problem")
  func foreignFiles() async throws {
    try await withTemporaryFolder { folder in
      let day = "\(folder)/2026/11/21"
      for (id, status) in [("a1", "available"), ("a2", "nonsense")] {
        try FileManager.default.createDirectory(atPath: "\(day)/\(id)", withIntermediateDirectories: true)
        let manifest = """
          {"clockSynchronized":true,"createdAt":1795262400000,"duration":0,"files":[],"hasAudio":true,"hasVideo":true,\
          "id":"\(id)","name":"","outputMode":"individual","reason":"","sessionId":"s","size":0,"status":"\(status)",\
          "streamMode":"auto"}
          """
        try manifest.write(toFile: "\(day)/\(id)/archive.json", atomically: true, encoding: .utf8)
      }
      try FileManager.default.createDirectory(atPath: "\(day)/none", withIntermediateDirectories: true)
      let cut = "\(day)/a1/cut.webm"
      try "mine".write(toFile: cut, atomically: true, encoding: .utf8)
      let note = "note: cut.webm is none of the recorder's files and is left alone\n"
      let verified = try livesessions("archive", "verify", "a1", "--directory", folder)
      #expect(verified.status == 0 && verified.output == "a1 good\n  \(note)", "\(verified)")
      let repaired = try livesessions("archive", "repair", "a1", "--directory", folder)
      #expect(repaired.status == 0 && repaired.output == "nothing to repair\n\(note)", "\(repaired)")
      #expect(try String(contentsOfFile: cut, encoding: .utf8) == "mine")
      let all = try livesessions("archive", "verify", "--directory", folder)
      #expect(all.status == 1 && all.output.contains("a2 has problems:") && !all.output.contains("none has"), "\(all)")
    }
  }

  @Test("an archive is named by the beginning of its id, where no other begins so; one that runs has a size")
  func archivesByPrefix() async throws {
    try await withTemporaryFolder { folder in
      for id in ["abcd1111", "abcd2222", "ffff0000-long"] {
        let archive = "\(folder)/2026/11/21/\(id)"
        try FileManager.default.createDirectory(atPath: archive, withIntermediateDirectories: true)
        let manifest = """
          {"clockSynchronized":true,"createdAt":1795262400000,"duration":0,"files":[],"hasAudio":true,"hasVideo":true,\
          "id":"\(id)","name":"","outputMode":"individual","reason":"","sessionId":"s","size":0,"status":"started",\
          "streamMode":"auto"}
          """
        try manifest.write(toFile: "\(archive)/archive.json", atomically: true, encoding: .utf8)
        try Data(count: 1_500).write(to: URL(filePath: "\(archive)/device.webm"))
      }
      let list = try livesessions(["archive", "list", "--directory", folder], environment: ["TZ": "XYZ-2"]).output
      #expect(list.contains("ffff0000-long  2026-11-21T14:00:00+02:00  00:00:00  1.5 kB"))
      #expect(try livesessions("archive", "lock", "ffff", "--directory", folder).status == 0)
      #expect(try livesessions("archive", "list", "--directory", folder).output.contains("locked"))
      let several = try livesessions("archive", "show", "abcd", "--directory", folder)
      #expect(several.status == 1)
      #expect(several.errors == "livesessions: 2 ids begin with abcd: abcd1111, abcd2222; type more of it\n")
      #expect(try livesessions("archive", "show", "fff", "--directory", folder).errors.contains("no archive fff"))
      let rendered = try livesessions("archive", "export", "ffff", "--output", "z.mp4", "--directory", folder)
      // A machine may lack ffmpeg.
      #expect(rendered.status == 1 && !rendered.errors.contains("name it .webm"), "\(rendered)")
      let unknown = try livesessions("archive", "export", "ffff", "z.avi", "--directory", folder)
      #expect(unknown.status == 1)
      #expect(unknown.errors == "livesessions: z.avi: the suffix says no known format; there are .webm, .mkv, .mp4\n")
      for names in [[], ["z.webm", "--output", "y.webm"]] {
        #expect(try livesessions(["archive", "export", "ffff", "--directory", folder] + names).status == 64)
      }
    }
  }

  @Test("ids are shown as long as it takes to tell them apart")
  func distinctIDs() {
    #expect(IdentifierPrefix.distinctLength(["abcd11112222", "ffff"]) == 8)
    #expect(IdentifierPrefix.distinctLength(["abcd11112222", "ffff", "abcd11113333"]) == 9)
  }

  @Test("the version is printed")
  func version() throws {
    #expect(try livesessions("--version").output == "\(ProgramVersion.text)\n")
  }

  @Test("the environment names the socket, an option another")
  func socketOfTheEnvironment() async throws {
    try await withServer { _, path in
      #expect(try livesessions(["users"], environment: ["LIVESESSIONS_SOCKET": path]).status == 0)
      let option = try livesessions(
        ["users", "--socket", "/nowhere/control"], environment: ["LIVESESSIONS_SOCKET": path])
      #expect(option.status == 69 && option.errors.contains("/nowhere/control"))
    }
  }

  @Test("a socket that may not be used says how to be let in")
  func noPermission() {
    #expect(
      ControlClientError.permissionDenied(path: "/s").description
        == "no permission for /s: join the group livesessions (adduser NAME livesessions), or use sudo")
  }

  @Test("without a daemon it says so, and how to start it")
  func notRunning() throws {
    let result = try livesessions("status", "--socket", "/nonexistent/control")
    #expect(result.status == 69)
    #expect(
      result.errors == "livesessions: the daemon is not running: nothing listens at /nonexistent/control; "
        + "start it with: systemctl start livesessionsd\n")
  }

  @Test("a file's tables say what it is, whatever its name")
  func fileKinds() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (night, misnamed) = ("\(folder)/night.toml", "\(folder)/policy-door.toml")
    try FileManager.default.copyItem(atPath: "\(Self.samples)/policy.toml", toPath: night)
    try "[device]\ntitle = \"Gate\"\n[hub]\nurl = \"https://hub.example\"\n".write(
      toFile: misnamed, atomically: true, encoding: .utf8)
    let checked = try livesessions("config", "check", night, misnamed)
    #expect(checked.status == 0, "\(checked.output)")
    let explained = try livesessions(
      "policy", "explain", "--config", night, "--caller", "user:u1", "--role", "operator")
    #expect(explained.output.hasPrefix("policy: \(night)\n"))
  }

  @Test("an instance is asked at its own socket, which an option may replace and the environment does not")
  func instances() throws {
    let expected =
      "livesessions: the daemon is not running: nothing listens at /run/livesessions@no-such/control; "
      + "start it with: systemctl start livesessionsd@no-such\n"
    let environment = ["LIVESESSIONS_SOCKET": "/nowhere/control"]
    for words in [["status", "--instance", "no-such"], ["--instance", "no-such", "status"]] {
      let result = try livesessions(words, environment: environment)
      #expect(result.status == 69 && result.errors == expected)
    }
    let socket = try livesessions(["status", "--instance", "no-such", "--socket", "/elsewhere/control"])
    #expect(socket.status == 69 && socket.errors.contains("/elsewhere/control"))
    let check = try livesessions("config", "check", "--instance", "no-such")
    #expect(check.status == 78 && check.output.contains("/etc/livesessions/no-such/device.toml"))
    #expect(check.output.contains("/etc/livesessions/no-such/policy.toml"))
    #expect(try livesessions("--instance", "no-such", "action", "safe").errors.contains("/no-such/device.toml"))
    let name = try livesessions("status", "--instance", "../yard")
    #expect(name.status == 64 && name.errors.contains("../yard"))
  }

  @Test("the gate of updates says in one line why it fails")
  func gate() throws {
    let files = ["--config", "\(Self.samples)/device.toml", "--policy", "\(Self.samples)/policy.toml"]
    let result = try livesessions(
      ["doctor", "--gate", "--within", "0", "--socket", "/nonexistent/control", "--user", "root"] + files)
    #expect(result.status == 1)
    #expect(
      result.output == "fails: calls: the daemon is not running (journalctl -u livesessionsd says why)\n")
    #expect(try livesessions("doctor", "--within", "3s").status == 64)
  }

  @Test("a restart that waits for the device to be idle gives up after its time, and says why")
  func restart() async throws {
    try await withServer { _, path in
      let result = try livesessions("restart", "--when-idle", "--within", "0", "--socket", path)
      #expect(result.status == 1 && result.output.isEmpty)
      #expect(
        result.errors == "livesessions: not restarted after the time of --within: call with Ann, connected\n")
    }
    #expect(try livesessions("restart", "--anyway").status == 64)
  }

  @Test("a policy is explained rule by rule")
  func explain() throws {
    let result = try livesessions(
      "policy", "explain", "--policy", "\(Self.samples)/policy.toml", "--caller", "user:u1", "--role", "operator",
      "--video")
    #expect(
      result.output == """
        policy: \(Self.samples)/policy.toml
        no match: "one call at a time": no call is up
        matches: "operators": caller is role:operator
        decision: answer: publish audio and video, caller may talk, at most 30m, recorded, with a tone, operators may control mute/swap-camera/choose-camera/archive

        """)
    #expect(try livesessions("policy", "explain", "--caller", "usr:u1").status == 64)
    for earlier in ["5m ago", "5m"] {
      let arguments = ["policy", "explain", "--policy", "\(Self.samples)/policy.toml", "--caller", "user:u1"]
      #expect(try livesessions(arguments + ["--called", earlier]).status == 0)
    }
  }

  @Test("a policy is explained for titles, groups and roles")
  func explainNames() async throws {
    try await withServer { _, path in
      let sample = ["policy", "explain", "--policy", "\(Self.samples)/policy.toml", "--caller"]
      func first(_ caller: String, _ socket: String) throws -> String {
        let output = try livesessions(sample + [caller, "--socket", socket]).output
        let lines = output.split(separator: "\n")
        #expect(lines.first == "policy: \(Self.samples)/policy.toml")
        return String(lines.dropFirst().first ?? "")
      }
      #expect(try first("ann", path) == "caller: Ann is user:u1")
      let id = "6f3c9a1e-2b4d-4c7a-9d10-0123456789ab"
      #expect(try first(id, path) == "caller: \"\(id)\" is taken as an id: no user who is online has it")
      let unknown = try livesessions(sample + ["Amn", "--socket", path])
      #expect(unknown.status == 5 && unknown.output.isEmpty)
      #expect(unknown.errors.contains("no user who is online has the title \"Amn\"; did you mean \"Ann\"?"))
      let alone = "caller: \"Ann\" is taken as an id: the daemon cannot be asked for titles"
      #expect(try first("Ann", "/nowhere") == alone)
      let json = try livesessions(sample + ["role:operator", "--json", "--at", "2026-11-21 20:14"]).output
      #expect(
        json.hasPrefix(#"{"caller":"(somebody)","decision":"answer","rule":"operators","rules":[{"isMatch":false"#))
      #expect(json.contains(#""time":1795292040000"#))
    }
  }

  @Test("the policy in force at the daemon is explained, unless a file is named")
  func explainInForce() async throws {
    try await withServer { fake, path in
      let result = try livesessions("policy", "explain", "--caller", "Ann", "--socket", path)
      #expect(
        result.output == """
          policy: in force at the daemon
          caller: Ann is user:u1
          matches: "in force": caller is user:u1
          decision: reject (busy)

          """)
      #expect(fake.recordedCalls == ["explain u1"])
      #expect(result.errors.contains("explained for a user in no group"))
      let grouped = try livesessions("policy", "explain", "--caller", "Ann", "--group", "family", "--socket", path)
      #expect(grouped.errors.isEmpty)
      let json = try livesessions("policy", "explain", "--caller", "user:u2", "--json", "--socket", path).output
      #expect(json.contains(#""decision":"reject","rules":[{"#) && json.contains(#""source":"daemon""#))
      let local = ["action", "explain", "open-door", "--caller", "local"]
      #expect(try livesessions(local + ["--socket", path]).output.hasSuffix("decision: refuse\n"))
      #expect(fake.recordedCalls.last == "explain local")
      let outgoing = try livesessions("policy", "outgoing", "Ann", "--socket", path)
      #expect(outgoing.status == 0)
      #expect(outgoing.output.hasPrefix("policy: in force at the daemon\nreceiver: Ann is user:u1\ncall: "))
      let recording = try livesessions("policy", "recording", "user:u1", "--json", "--socket", path)
      #expect(recording.status == 1)
      #expect(
        recording.output == """
          {"caller":"u1","decision":"refuse","source":"daemon","text":"no recording: no one is allowed in [recording]"}

          """)
      let beside = ["--config", "\(Self.samples)/device.toml"]
      let named = try livesessions(["policy", "explain", "--caller", "Ann", "--socket", path] + beside).output
      #expect(named.hasPrefix("policy: \(Self.samples)/policy.toml\n"))
      #expect(try livesessions(local + beside + ["--policy", "p.toml"]).status == 64)
    }
    let alone = try livesessions("policy", "explain", "--caller", "user:u1", "--socket", "/nowhere")
    #expect(alone.status == 78 || alone.output.contains("policy.toml; the daemon is not running"))
  }

  @Test("every command that reads a configuration takes --config")
  func configurations() throws {
    let (device, policy) = ("\(Self.samples)/device.toml", "\(Self.samples)/policy.toml")
    #expect(try livesessions("config", "check", "--config", device).output == "\(device): good\n")
    #expect(try livesessions("config", "check", policy, "--config", device).output.hasPrefix("\(device): good\n"))
    #expect(try livesessions("config", "show", "--changed", "--config", device).output.hasPrefix("# \(device)\n"))
    #expect(try livesessions("config", "set", "--config", "/nowhere/device.toml", "video.width", "640").status == 78)
    for command in ["action safe", "devices", "policy outgoing user:u1"] {
      let words = command.split(separator: " ").map { String($0) }
      #expect(try livesessions(words + ["--config", device]).status != 64, "\(command)")
    }
  }

  @Test("the use of an action is explained as well, by either command")
  func explainAction() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let rules = """
        [[action_rule]]
        name = "family by day"
        action = ["open-door"]
        caller = ["group:family"]
        hours = "daily 08:00-22:00 Etc/UTC"
        in_call = true
        """
      try rules.write(toFile: "\(folder)/policy.toml", atomically: true, encoding: .utf8)
      let how = [
        "--caller", "group:family", "--in-call", "--policy", "\(folder)/policy.toml", "--at", "tomorrow 09:00",
      ]
      let direct = try livesessions(["action", "explain", "open-door"] + how).output
      #expect(direct.hasSuffix("decision: allow\n"))
      #expect(direct == (try livesessions(["policy", "explain", "--action", "open-door"] + how).output))
      let late = try livesessions(["policy", "explain", "--action", "open-door"] + how.dropLast() + ["tomorrow 23:00"])
      #expect(late.output.hasSuffix("decision: refuse\n"))
      #expect(try livesessions(["policy", "explain", "--action", "open-door", "--video"] + how).status == 64)
      #expect(try livesessions("policy", "explain", "--in-call", "--caller", "user:u1").status == 64)
    }
  }

  @Test("whom the policy lets have the device record is explained")
  func explainRecording() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      func explain(_ rules: String, _ arguments: String...) throws -> (status: Int32, text: String) {
        try rules.write(toFile: "\(folder)/policy.toml", atomically: true, encoding: .utf8)
        let how = ["policy", "recording", "--policy", "\(folder)/policy.toml", "--socket", "/nowhere"]
        let result = try livesessions(how + arguments)
        return (result.status, result.output)
      }
      let some = "[recording]\nallowed = [\"user:u1\", \"group:guards\"]\n"
      #expect(try explain(some, "user:u1") == (0, "may have the device record: user:u1 in [recording]\n"))
      let both = "may have the device record: user:u1, group:guards in [recording]\n"
      #expect(try explain(some, "user:u1", "--group", "guards") == (0, both))
      #expect(try explain(some, "group:guards").status == 0)
      #expect(try explain(some, "role:operator") == (1, "no recording: not among allowed in [recording]\n"))
      let all = "[recording]\nallowed = [\"role:operator\"]\n"
      #expect(try explain(all, "user:u9") == (0, "may have the device record: role:operator in [recording]\n"))
      #expect(try explain(all, "role:user") == (1, "no recording: the hub lets operators alone ask\n"))
      #expect(try explain("", "user:u1") == (1, "no recording: no one is allowed in [recording]\n"))
      let named = try explain(some, "Ann", "--json")
      #expect(named.status == 1)
      #expect(named.text.hasPrefix(#"{"caller":"Ann","decision":"refuse","note":"\"Ann\" is taken as an id"#))
      #expect(try explain(some, "usr:u1").status == 64)
    }
  }

  @Test(
    "times are written as people say them",
    arguments: [
      ("2026-11-21 20:14", "time: Sat 2026-11-21T20:14:00Z"),
      ("2026-11-21T20:14:00Z", "time: Sat 2026-11-21T20:14:00Z"),
      ("sat 23:00", "time: Sat "), ("Saturday 23:00", "time: Sat "), ("tomorrow 09:00", "time: "), ("23:00", "time: "),
    ])
  func times(text: String, beginning: String) throws {
    let arguments = [
      "policy", "explain", "--policy", "\(Self.samples)/policy.toml", "--caller", "user:u1", "--at", text,
    ]
    #expect(try livesessions(arguments).output.contains("\n\(beginning)"))
  }

  @Test("what lists and explains prints JSON where it is asked to")
  func json() async throws {
    try await withServer { _, path in
      let actions = try livesessions("action", "list", "--json", "--socket", path).output
      #expect(actions == #"[{"isAllowed":true,"name":"open-door","needsPIN":true}]"# + "\n")
      #expect(
        try livesessions("archive", "start", "--json", "--socket", path).output == #"{"archiveIDs":["a2"]}"# + "\n")
      #expect(
        try livesessions("archive", "stop", "--json", "--socket", path).output == #"{"archiveIDs":["a1"]}"# + "\n")
    }
    let bad = try livesessions("config", "check", "--json", "/nonexistent/policy.toml")
    #expect(bad.status == 78)
    #expect(bad.output.hasPrefix(#"[{"file":"/nonexistent/policy.toml","mistakes":[{"problem":"cannot read the file"#))
  }

  @Test("a rule that looks at what may be unknown is noted, and explained")
  func unknownConditions() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString).toml")
    let text = """
      [[rule]]
      name = "far away"
      caller = ["role:user"]
      within = "1km"
      action = "reject"
      [[rule]]
      name = "nights"
      hours = "daily 22:00-06:00"
      action = "answer"
      """
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let check = try livesessions("config", "check", file.path)
    #expect(check.status == 0)
    #expect(
      check.output == """
        \(file.path): good
        \(file.path): note: rule "far away": while the distance is unknown, it matches, because it refuses
        \(file.path): note: rule "nights": while the clock is not synchronised, it does not match, because it admits

        """)
    let explanation = try livesessions("policy", "explain", "--policy", file.path, "--caller", "user:u1")
    #expect(
      explanation.output == """
        policy: \(file.path)
        matches: "far away": unknown: the distance is unknown — matches, because the rule refuses
        decision: reject (declined)

        """)
  }

  @Test("a setting is changed in its file, of which all else stays, and shown")
  func settings() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "device.toml").path
    try FileManager.default.copyItem(atPath: "\(Self.samples)/device.toml", toPath: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    let before = try String(contentsOfFile: file, encoding: .utf8)

    let set = try livesessions("config", "set", "video.bitrate", "1Mbit/s", "--file", file)
    #expect(set.status == 0 && set.output.hasSuffix("takes effect after a restart: systemctl restart livesessionsd\n"))
    let after = try String(contentsOfFile: file, encoding: .utf8)
    let shown = "#bitrate = \"800kbit/s\"\n"
    let place = try #require(before.range(of: shown))
    #expect(after == before.replacingCharacters(in: place, with: shown + "bitrate = \"1Mbit/s\"\n"))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o640)

    let changed = try livesessions("config", "show", "--changed", file)
    #expect(changed.output.contains("\n[video]\nbitrate = \"1Mbit/s\"\n"), "\(changed)")
    #expect(!changed.output.contains("width"))
    #expect(try livesessions("config", "show", file).output.contains("\nwidth = 640\n"))

    for (key, value, expected) in [
      ("video.bitrat", "1Mbit/s", "there is no setting \"video.bitrat\"; did you mean video.bitrate?"),
      ("video.width", "641", "width must be even"), ("log.level", "loud", "it is one of trace, debug"),
    ] {
      let refused = try livesessions("config", "set", key, value, "--file", file)
      #expect(refused.status == 78 && refused.errors.contains(expected), "\(refused)")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == after)
  }

  @Test("titles of users are stored as ids, and those that no account has are named")
  func titles() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try await withServer { _, socket in
        let file = "\(folder)/policy.toml"
        let rule = "[[rule]]\naction = \"answer\"\ncaller = "
        try (rule + "[\"user:olga\", \"user:Nobody\"]\n").write(toFile: file, atomically: true, encoding: .utf8)
        let check = try livesessions("config", "check", file)
        #expect(check.status == 0 && check.output.contains("line 3: \"user:olga\" matches no one"), "\(check)")
        let stored = rule + "[\"user:\(FakeDevice.olgaID)\", \"user:Nobody\"]  # Olga\n"
        let resolve = try livesessions("config", "resolve", file, "--socket", socket)
        #expect(resolve.status == 1 && resolve.output.contains("\"Nobody\" stays as it is"), "\(resolve)")
        #expect(resolve.output.hasPrefix("\(file): line 3: Olga is user:\(FakeDevice.olgaID)\n"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == stored)
        #expect(try livesessions("config", "resolve", file, "--socket", "/nowhere").status == 69)

        let set = try livesessions(
          "config", "set", "outgoing.allowed", "[\"user:Olga\"]", "--file", file, "--socket", socket)
        #expect(set.status == 0, "\(set)")
        let after = try String(contentsOfFile: file, encoding: .utf8)
        #expect(after == stored + "\n[outgoing]\nallowed = [\"user:\(FakeDevice.olgaID)\"]\n")
      }
    }
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
