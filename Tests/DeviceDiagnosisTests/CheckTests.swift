import ControlMessages
import DeviceConfiguration
import Foundation
import DigitalIO
import MediaCore
import MediaPlaneAPI
import Testing

@testable import DeviceDiagnosis

@Suite("Checks of a device")
struct CheckTests {
  private func verdicts(_ findings: [Finding]) -> [Finding.Verdict] { findings.map(\.verdict) }

  @Test("one that hangs fails alone, in its own time, and keeps its place")
  func limits() {
    let began = ContinuousClock.now
    let findings = Check.run([
      Check(.camera, limit: .milliseconds(200)) {
        Thread.sleep(forTimeInterval: 2)
        return []
      },
      Check(.clock) { [Finding(.clock, .ok, "is synchronised")] },
    ])
    #expect(verdicts(findings) == [.failure, .ok])
    #expect(findings[0].text == "does not answer within 200 ms")
    #expect(ContinuousClock.now - began < .seconds(1.5))
  }

  @Test("mistakes of files are findings with place and remedy, and end what needs them")
  func configuration() async throws {
    try await withFolder { folder in
      let options = DiagnosisRequest(
        configurationPath: "\(folder)/device.toml", policyPath: "\(folder)/policy.toml", socket: "\(folder)/none")
      try "[device]\ntitel = \"Gate\"\n".write(toFile: options.configurationPath, atomically: true, encoding: .utf8)
      try "default = \"reject\"\n".write(toFile: options.policyPath, atomically: true, encoding: .utf8)
      let findings = try await Diagnosis(options).run().findings
      let mistake = try #require(findings.first { $0.part == .configuration })
      #expect(mistake.verdict == .failure)
      #expect(mistake.text.hasPrefix("\(options.configurationPath):"))
      #expect(findings.contains { $0.part == .policy && $0.verdict == .ok })
      #expect(findings.contains { $0.part == .daemon && $0.verdict == .warning })
      #expect(!findings.contains { $0.part == .hub })
    }
  }

  @Test("without synchronised time only rules with hours fail")
  func clock() throws {
    let daemon = DaemonState.running(status(), nil)
    #expect(verdicts(ClockCheck(subject: try subject(daemon: daemon)).findings()) == [.warning, .ok])
    let policy = """
      [[rule]]
      hours = "daily 08:00-22:00"
      action = "answer"
      """
    #expect(verdicts(ClockCheck(subject: try subject(policy: policy, daemon: daemon)).findings()) == [.failure, .ok])
  }

  @Test("a daemon of another time zone is reported")
  func timeZone() throws {
    var told = status()
    told.timeZone = "Asia/Kolkata, UTC+05:30 (TZ)"
    let findings = ClockCheck(subject: try subject(daemon: .running(told, nil))).findings()
    #expect(verdicts(findings) == [.warning, .warning] && findings[1].text.contains("Asia/Kolkata, UTC+05:30 (TZ)"))
  }

  @Test("control by HTTP needs a token that may be used, and a place that is free")
  func http() throws {
    func findings(_ listen: String, _ token: String?, daemon: DaemonState = .stopped) throws -> [Finding] {
      let file = token.map { "token_file = \"\($0)\"" } ?? ""
      return HTTPCheck(subject: try subject("[http]\nlisten = \"\(listen)\"\n\(file)", daemon: daemon)).findings()
    }
    #expect(HTTPCheck(subject: try subject()).findings() == [Finding(.http, .ok, "nothing listens")])
    try withFolder { folder in
      let (token, taken) = ("\(folder)/token", try TakenPort())
      let (free, missing) = ("\(folder)/socket", "\(folder)/none")
      #expect(try findings(free, missing).map(\.verdict) == [.failure])
      #expect(FileManager.default.createFile(atPath: token, contents: Data("0123456789abcdef".utf8)))
      chmod(token, 0o644)
      #expect(try findings(free, token).map(\.verdict) == [.failure])
      chmod(token, 0o600)
      #expect(try findings(free, nil) == [Finding(.http, .ok, "can listen at \(folder)/socket")])
      #expect(try findings("\(missing)/socket", nil).map(\.verdict) == [.failure])
      let found = try findings("127.0.0.1:\(taken.port)", token)
      #expect(found.map(\.verdict) == [.failure] && found[0].remedy?.contains("ss -ltnp") == true)
      let problem = ProblemStatus(part: .http, text: "cannot listen", since: 1)
      let daemon = DaemonState.running(status(problems: [problem]), nil)
      #expect(try findings("127.0.0.1:\(taken.port)", token, daemon: daemon).map(\.text) == ["cannot listen"])
      let running = DaemonState.running(status(), nil)
      #expect(try findings("127.0.0.1:\(taken.port)", token, daemon: running).map(\.verdict) == [.ok])
    }
  }

  @Test("who may not use a device file gets a remedy that can help")
  func deviceNodes() throws {
    let audio = try #require(getgrnam("audio")).pointee.gr_gid
    let owned = DeviceNodeRemedy(group: audio, mode: 0o660).text(user: "livesessions", usualGroup: "video")
    #expect(owned == "run: adduser livesessions audio, and restart the daemon")
    for (group, mode) in [(gid_t(0), mode_t(0o660)), (audio, 0o600)] {
      let rule = DeviceNodeRemedy(group: group, mode: mode).text(user: "livesessions", usualGroup: "video")
      #expect(rule.hasPrefix("no group may use it: have udev give it to one, by a rule with GROUP=\"video\""))
    }
  }

  @Test(
    "an old position and one that cannot be true are reported",
    arguments: [(3, 0, nil, 0), (139, 24, "it is far away", 1), (3, 24, "it is far away", 1), (90, 0, nil, 1)])
  func position(age: Int, refused: Int, doubt: String?, warnings: Int) throws {
    var told = status()
    told.position = PositionStatus(age: age, since: nil, isStale: false, refused: refused, doubt: doubt)
    let findings = PositionCheck(
      subject: try subject("[location]\ngpsd = \"127.0.0.1:9\"", daemon: .running(told, nil))
    ).findings()
    #expect(verdicts(findings).filter { $0 == .warning }.count == warnings)
    if let doubt { #expect(findings[0].text.contains("24 left out") && findings[0].text.contains(doubt)) }
  }

  @Test("positions of which none can be true are reported")
  func noPosition() throws {
    var told = status()
    told.position = PositionStatus(age: nil, since: nil, isStale: false, refused: 7, doubt: "it is 0° N 0° E")
    let findings = PositionCheck(
      subject: try subject("[location]\ngpsd = \"127.0.0.1:9\"", daemon: .running(told, nil))
    ).findings()
    #expect(
      findings.map(\.text) == [
        "gpsd has reported none that can be true, 7 left out, the newest because it is 0° N 0° E"
      ])
  }

  @Test("a running daemon is believed about its camera")
  func camera() throws {
    let problem = ProblemStatus(part: .camera, text: "/dev/video0: unplugged", since: 1)
    let broken = CameraCheck(subject: try subject(daemon: .running(status(problems: [problem]), nil))).findings()
    #expect(broken == [Finding(.camera, .failure, "/dev/video0: unplugged")])
    let over = ProblemStatus(part: .camera, text: "it was away", since: 1, until: 2)
    let good = CameraCheck(subject: try subject(daemon: .running(status(problems: [over]), nil))).findings()
    #expect(good == [Finding(.camera, .ok, "/dev/video0 is idle")])
  }

  @Test("programs in place of camera and microphone have to be there")
  func programs() throws {
    let text = """
      [video]
      camera = { exec = ["sh"], format = "y4m" }
      [[camera]]
      name = "yard"
      path = { exec = ["nonesuch-program"], format = "y4m" }
      [audio]
      microphone = { exec = ["/nonesuch/program"], format = "s16le", rate = 48000, channels = 1 }
      """
    let cameras = CameraCheck(subject: try subject(text)).findings()
    #expect(verdicts(cameras) == [.ok, .failure])
    #expect(cameras[1].text == "yard: exec:nonesuch-program: no folder of PATH has nonesuch-program")
    let microphone = SoundCheck(subject: try subject(text)).microphone()
    #expect(microphone.map(\.text) == ["exec:program: there is no program /nonesuch/program"])
  }

  @Test("each further camera has findings of its own")
  func furtherCameras() throws {
    let cameras = """
      [video]
      camera = "test:bars"
      [[camera]]
      name = "yard"
      path = "/dev/video-none"
      [[camera]]
      name = "gate"
      path = "test:bars"
      """
    let alone = CameraCheck(subject: try subject(cameras)).findings()
    #expect(verdicts(alone) == [.ok, .failure, .ok])
    #expect(alone[1].text.hasPrefix("yard: /dev/video-none"))
    var running = status(problems: [ProblemStatus(part: .camera, text: "/dev/video0: gone", since: 1)])
    var yard = MediaDeviceStatus(target: .camera, name: "/dev/video2", state: "streaming", isMuted: false)
    yard.camera = "yard"
    running.devices.append(yard)
    let told = CameraCheck(subject: try subject(cameras, daemon: .running(running, nil))).findings()
    #expect(verdicts(told) == [.failure, .ok, .warning])
    #expect(told.map(\.text)[1...] == ["yard: /dev/video2 is streaming", "gate: the daemon does not know it yet"])
  }

  @Test("without the daemon, files and devices are looked at")
  func sources() throws {
    let file = try subject("[video]\ncamera = \"file:/nonexistent.y4m\"\n[audio]\nmicrophone = \"hw:CARD=None\"")
    #expect(verdicts(CameraCheck(subject: file).findings()) == [.failure])
    #expect(verdicts(SoundCheck(subject: file).microphone()) == [.failure])
    let device = try subject("[video]\ncamera = \"/dev/video-none\"")
    #expect(verdicts(CameraCheck(subject: device).findings()) == [.failure])
    let none = try subject("[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\nspeaker = \"none\"")
    let sound = SoundCheck(subject: none)
    #expect(verdicts(CameraCheck(subject: none).findings() + sound.microphone() + sound.speaker()) == [.ok, .ok, .ok])
    let silent = try subject("[audio]\nmicrophone = \"hw:CARD=None\"", daemon: .silent("the daemon does not answer"))
    #expect(verdicts(SoundCheck(subject: silent).microphone()) == [.warning])
  }

  @Test("the echo's delay is what the daemon measured; little reduction is a warning")
  func echo() throws {
    func findings(reduction: Double?, delay: Double?) throws -> [Finding] {
      var media = MediaTelemetry()
      media.sound = SoundTelemetry(echoReturnLossEnhancement: reduction, echoDelay: delay)
      return SoundCheck(subject: try subject(daemon: .running(status(), figures(media)))).echo()
    }
    #expect(
      try findings(reduction: 31.6, delay: 85.4)
        == [Finding(.echo, .ok, "comes 85 ms after it is played, and is lowered by 32 dB")])
    #expect(verdicts(try findings(reduction: 4, delay: 85)) == [.warning])
    #expect(verdicts(try findings(reduction: nil, delay: nil)) == [.ok])
    #expect(verdicts(SoundCheck(subject: try subject()).echo()) == [.ok])
  }

  @Test("a full disk fails, a nearly full one warns")
  func disk() throws {
    try withFolder { folder in
      func verdict(_ free: Int64) throws -> [Finding.Verdict] {
        var media = MediaTelemetry()
        media.disk = DiskTelemetry(
          free: free, capacity: 10_000_000, minimumFree: 0, archives: 0, maximumArchives: nil)
        let settings = "[archive]\ndirectory = \"\(folder)\"\nmin_free = \"1MiB\""
        return verdicts(
          ArchiveCheck(subject: try subject(settings, daemon: .running(status(), figures(media)))).findings())
      }
      #expect(try verdict(1_000_000) == [.failure])
      #expect(try verdict(1_500_000) == [.warning])
      #expect(try verdict(1_600_000) == [.ok])
      let stopped = try subject("[archive]\ndirectory = \"\(folder)/new/archives\"\nmin_free = \"1MiB\"")
      #expect(verdicts(ArchiveCheck(subject: stopped).findings()) == [.ok])
      let somebody = ServiceAccount(name: "somebody", userID: 4_000_001, groupIDs: [])
      let other = try subject("[archive]\ndirectory = \"\(folder)\"", account: somebody)
      chmod(folder, 0o755)
      #expect(verdicts(ArchiveCheck(subject: other).findings()) == [.failure])
    }
  }

  @Test("a hub and a gpsd that nobody runs are told with their cause")
  func absent() async throws {
    let alone = try subject()
    let hub = await onThread { HubCheck(subject: alone).findings() }
    #expect(hub.count == 1)
    #expect(hub[0].text.hasPrefix("http://127.0.0.1:9: cannot reach the hub: connection refused; "))
    let located = try subject("[location]\ngpsd = \"127.0.0.1:9\"")
    let gpsd = await onThread { PositionCheck(subject: located).findings() }
    #expect(verdicts(gpsd) == [.warning])
    #expect(gpsd[0].text.hasPrefix("gpsd at 127.0.0.1:9 cannot be reached: "))
    #expect(verdicts(PositionCheck(subject: try subject("[location]\nenabled = false")).findings()) == [.ok])
    var offline = status(isOnline: false)
    offline.outage = "no answer"
    #expect(
      HubCheck(subject: try subject(daemon: .running(offline, nil))).findings() == [
        Finding(.hub, .failure, "no answer")
      ]
    )
  }

  @Test("addresses that no interface has, and no network at all")
  func network() throws {
    let named = try subject("[network]\naddresses = [\"192.0.2.7\", \"127.0.0.1\"]")
    #expect(NetworkCheck(subject: named, interfaces: ["192.0.2.7"]).findings().map(\.verdict) == [.ok])
    #expect(NetworkCheck(subject: named, interfaces: []).findings().map(\.verdict) == [.failure])
    #expect(NetworkCheck(subject: try subject(), interfaces: []).findings().map(\.verdict) == [.warning])
    let loopback = try subject("[network]\naddresses = [\"127.0.0.1\", \"::1\"]")
    let unreachable = NetworkCheck(subject: loopback, interfaces: ["192.0.2.7"]).findings()
    #expect(unreachable.map(\.verdict) == [.warning])
    #expect(unreachable[0].text.hasPrefix("callers on other machines cannot reach this device"))
    var remote = loopback
    remote.configuration.hub.url = "https://hub.example.org"
    #expect(NetworkCheck(subject: remote, interfaces: ["192.0.2.7"]).findings().map(\.verdict) == [.failure])
    let authority = try subject("[network]\nturn_ca_file = \"/nonexistent\"")
    #expect(NetworkCheck(subject: authority, interfaces: ["192.0.2.7"]).findings().map(\.verdict) == [.failure])
  }

  @Test("a line must be in the daemon's hands, or in nobody's", arguments: [true, false], [true, false])
  func lines(isUsed: Bool, isDaemonThere: Bool) {
    let check = LineCheck(part: .buttons, name: "bell", isDaemonThere: isDaemonThere)
    let finding = check.finding(GPIOLineUse(isUsed: isUsed, consumer: "x"), "line 1 of gpiochip0")
    #expect(finding.verdict == (isUsed == isDaemonThere ? .ok : .failure))
  }

  @Test("buttons and actions whose chip or program is absent, and rules that fit no action")
  func actions() throws {
    let settings = """
      [[button]]
      name = "Bell"
      gpio = { chip = "nonexistent-chip", line = 1 }
      press = "hang-up"
      [[button]]
      name = "Key"
      key = { device = "/dev/input/none", code = "KEY_F1" }
      press = "hang-up"
      [[action]]
      name = "light"
      run = ["/nonexistent/light"]
      [[action]]
      name = "open-door"
      gpio = { chip = "nonexistent-chip", line = 2, pulse = "1s" }
      """
    let policy = """
      [[action_rule]]
      action = ["light", "gate"]
      caller = ["local"]
      """
    let subject = try subject(settings, policy: policy)
    #expect(verdicts(ButtonCheck(subject: subject).findings()) == [.failure, .failure])
    let actions = ActionCheck(subject: subject).findings()
    #expect(verdicts(actions) == [.failure, .failure, .warning, .warning])
    #expect(actions[2].text == "open-door: no rule permits it")
    #expect(actions[3].text == "the rule \"action rule 1\" is about gate, which there is not")
  }

  @Test("what sources of events read, as far as it is there")
  func eventSources() throws {
    #expect(EventSourceCheck(subject: try subject()).findings().map(\.verdict) == [.ok])
    let settings = """
      [[event]]
      name = "camera"
      kind = "tamper"
      [[event]]
      name = "door"
      kind = "input"
      gpio = { chip = "nonexistent-chip", line = 1 }
      [[event]]
      name = "lid"
      kind = "input"
      key = { device = "/dev/input/none", code = "SW_LID" }
      [[event]]
      name = "hot"
      kind = "temperature"
      sensor = "nonexistent sensor"
      """
    let findings = EventSourceCheck(subject: try subject(settings)).findings()
    #expect(findings.map(\.verdict) == [.failure, .failure, .failure])
    #expect(findings[2].text.contains("\"hot\": there is no temperature sensor"))
  }

  @Test("texts that nothing can speak")
  func speech() throws {
    let settings = "[sounds]\nended = \"say: Goodbye\""
    let check = SoundCheck(subject: try subject(settings))
    #expect(check.speech(isInstalled: true).isEmpty)
    #expect(verdicts(check.speech(isInstalled: false)) == [.failure])
    #expect(SoundCheck(subject: try subject("")).speech(isInstalled: false).isEmpty)
  }

  @Test("secrets that others may read, and files that are not there")
  func secrets() throws {
    try withFolder { folder in
      let key = "\(folder)/key"
      try "secret".write(toFile: key, atomically: true, encoding: .utf8)
      chmod(key, 0o644)
      let settings =
        "enrolment_key_file = \"\(key)\"\n[video]\ncamera = \"none\"\n[audio]\nmicrophone = \"none\"\nspeaker = \"none\""
      let permissions = FilePermissions(subject: try subject(settings), configurationPaths: [])
      #expect(permissions.findings().map(\.remedy) == ["run: chmod 0600 '\(key)'"])
      chmod(key, 0o600)
      #expect(verdicts(permissions.findings()) == [.ok])
      let missing = FilePermissions(subject: try subject(settings), configurationPaths: ["/nonexistent/device.toml"])
      #expect(verdicts(missing.findings()) == [.failure])
    }
  }

  @Test("a further camera that the daemon may not open")
  func furtherCamera() throws {
    let nodes = ["main", "yard"].map { "/dev/shm/livesessions-\(UUID())-\($0)" }
    defer { for node in nodes { unlink(node) } }
    for (node, mode) in zip(nodes, [0o666, 0o600] as [mode_t]) {
      try "".write(toFile: node, atomically: false, encoding: .utf8)
      chmod(node, mode)
    }
    let settings = """
      [video]
      camera = "\(nodes[0])"
      [[camera]]
      name = "yard"
      path = "\(nodes[1])"
      [audio]
      microphone = "none"
      speaker = "none"
      """
    let somebody = ServiceAccount(name: "somebody", userID: 4_000_001, groupIDs: [4_000_002])
    let findings = FilePermissions(
      subject: try subject(settings, account: somebody), configurationPaths: []
    ).findings().filter { $0.verdict == .failure }
    #expect(findings.count == 1 && findings[0].text.contains(nodes[1]))
    // Being in the group of a node that gives its group nothing would not help.
    #expect(findings.first?.remedy?.contains("adduser somebody video, and restart the daemon") == true)
    #expect(findings.first?.remedy?.hasPrefix("no group may use it: ") == true)
  }
}

/// A port of loopback that someone listens at.
private final class TakenPort {
  let port: UInt16
  private let descriptor: CInt

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 1) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRINUSE) }
    (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }
}
