import CallPolicy
import ControlMessages
import HubClient
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime
import Signalling
import SystemSupport
import Testing

@testable import CallEngine
@testable import EngineControl

@Suite("What the control socket asks", .timeLimit(.minutes(1)))
struct EngineControlTests {
  private struct EmptyCatalog: ArchiveCatalog {
    func summaries(limit: Int) async throws -> [ArchiveSummary] { [] }
    func archiveCount() async throws -> Int { 0 }
    func verify(archiveID: String?) async throws -> [ArchiveReport] { [] }
    func showArchive(archiveID: String) async throws -> ArchiveDetail { throw missing(archiveID) }
    func repairArchive(archiveID: String) async throws -> ArchiveRepairResult { throw missing(archiveID) }
    func setArchiveLocked(archiveID: String, _ isLocked: Bool) async throws { throw missing(archiveID) }
    func renameArchive(archiveID: String, name: String) async throws { throw missing(archiveID) }
    func deleteArchive(archiveID: String, isForced: Bool) async throws { throw missing(archiveID) }
    private func missing(_ archiveID: String) -> DeviceControlError { .noSuchArchive(archiveID) }
  }

  private func control(
    _ bench: EngineBench, reload: @escaping @Sendable () async throws -> EngineSettings = { throw CancellationError() }
  ) -> EngineControl {
    EngineControl(
      engine: bench.engine, identity: .init(version: "1", hubURL: "http://h", startedAt: bench.now - .seconds(50)),
      catalog: EmptyCatalog(),
      reloadConfiguration: { [engine = bench.engine] in await engine.apply(try await reload()) })
  }

  @Test func statusShowsTheCalls() async throws {
    let bench = try EngineBench()
    await bench.engine.handle(.hello(HelloEvent(eventStreamID: "e", isReset: false)))
    await bench.connectedCall()
    await bench.advance(.seconds(100))
    let status = try await control(bench).status()
    #expect(status.title == "Gate")
    #expect(status.userID == "device")
    #expect(status.isOnline)
    let session = try #require(status.sessions.first)
    #expect(session.state == "connected")
    #expect(session.policyRule == "all")
    #expect(abs(wallClockMilliseconds() - 100_000 - session.startedAt) < 10_000)
    #expect(abs(wallClockMilliseconds() - 50_000 - status.startedAt) < 10_000)
  }

  @Test func statusShowsWhoMuted() async throws {
    let bench = try EngineBench()
    let camera = MediaPlaneStatus.Device(target: .camera, name: "/dev/video0", state: "streaming", isMuted: true)
    bench.media.shownStatus.withLock { $0 = MediaPlaneStatus(devices: [camera]) }
    #expect(try await control(bench).status().devices.map(\.mutedBy) == [nil])
    await bench.connectedCall()
    await bench.control("mute", "camera")
    await bench.log.wait(for: "hub result s mute done")
    #expect(try await control(bench).status().devices.map(\.mutedBy) == [["anna"]])
    try await control(bench).setMuted(.camera, true)
    #expect(try await control(bench).status().devices.map(\.mutedBy) == [["device", "anna"]])
    try await control(bench).setMuted(.camera, false)
    #expect(try await control(bench).status().devices.map(\.mutedBy) == [nil])
  }

  @Test func statusShowsDevicesRecordingsAndTheClock() async throws {
    let bench = try EngineBench(isClockSynchronized: false)
    var camera = MediaPlaneStatus.Device(target: .camera, name: "/dev/video0", state: "streaming", isMuted: false)
    (camera.details, camera.frameRate, camera.dropped) = ("YUYV 640×480 at 30/s", 29.9, 3)
    let started = bench.now
    let archive = MediaPlaneStatus.Archive(
      archiveID: "a", sessionID: nil, startedAt: started, size: 7, droppedFrames: 2)
    bench.media.shownStatus.withLock { $0 = MediaPlaneStatus(devices: [camera], archives: [archive]) }
    bench.media.shownStatus.withLock { ($0.archiveDirectory, $0.archiveProblem) = ("/a", "read-only") }
    await bench.advance(.seconds(60))
    let status = try await control(bench).status()
    #expect((status.archiveDirectory, status.archiveProblem) == ("/a", "read-only"))
    #expect(!status.clockSynchronized)
    let device = try #require(status.devices.first)
    #expect(device.details == "YUYV 640×480 at 30/s")
    #expect(device.frameRate == 29.9)
    #expect(device.dropped == 3)
    #expect(device.xruns == nil)
    let recording = try #require(status.recordings.first)
    #expect((recording.archiveID, recording.size, recording.droppedFrames) == ("a", 7, 2))
    #expect(recording.sessionID == nil)
    #expect(abs(wallClockMilliseconds() - 60_000 - recording.startedAt) < 10_000)
  }

  @Test func statusShowsWhatDoesNotWorkBeforeTheFirstCall() async throws {
    let bench = try EngineBench()
    #expect(try await control(bench).status().problems == [])
    let problem = Problem(type: "bad-credentials", title: "t", status: 401)
    let outage = HubOutage(.refused(status: 401, problem: problem), began: .now - .seconds(30))
    bench.hub.outages.withLock { $0 = outage }
    let camera = MediaProblem(part: .camera, text: "no permission", since: bench.now - .seconds(10))
    bench.media.shownStatus.withLock { $0.problems = [camera] }
    let status = try await control(bench).status()
    let problems = try #require(status.problems)
    #expect(problems.map(\.part) == [.hub, .camera])
    #expect(problems[0].text.contains("enrol-device --replace"))
    #expect(abs(wallClockMilliseconds() - 30_000 - problems[0].since!) < 10_000)
    #expect(abs(wallClockMilliseconds() - 10_000 - problems[1].since!) < 10_000)
    #expect(status.serviceLine.hasPrefix("Waiting for the hub; hub: the hub does not know"))
    #expect(status.serviceLine.hasSuffix("; camera: no permission"))
    #expect(try await control(bench).telemetry().failingParts == [.hub, .camera])
  }

  @Test func theHubsLastProblemIsKeptWhenItIsBack() async throws {
    let bench = try EngineBench()
    var outage = HubOutage(.timedOut, began: .now - .seconds(30))
    outage.ended = .now - .seconds(20)
    bench.hub.outages.withLock { [outage] in $0 = outage }
    await bench.goOnline()
    let status = try await control(bench).status()
    let problem = try #require(status.problems?.first)
    #expect(!problem.lasts && problem.part == .hub)
    #expect(status.outage == nil)
    #expect(status.serviceLine == "Online, no call")
  }

  @Test func callsAreCountedByTheirOutcome() async throws {
    let bench = try EngineBench()
    await bench.goOnline()
    await bench.connectedCall("a")
    await bench.connectedCall("b")
    await bench.connectedCall("c", callerID: "bert")
    await bench.hubEnds("a")
    await bench.engine.handle(.ended(sessionID: "b", reason: .connectionLost))
    await bench.call("d", callerID: "carl")
    await bench.hubEnds("d", reason: "hangup")
    let control = EngineControl(
      engine: bench.engine, identity: .init(version: "1", hubURL: "http://h", startedAt: bench.now - .seconds(50)),
      catalog: EmptyCatalog(), readSystem: { SystemTelemetry() }, reloadConfiguration: { throw CancellationError() })
    let figures = try await control.telemetry()
    #expect(figures.calls.current == 1)
    var outcomes = CallOutcomes()
    (outcomes.completed, outcomes.dropped, outcomes.cancelled) = (1, 1, 1)
    #expect(figures.calls.incoming == outcomes)
    #expect(figures.calls.outgoing == CallOutcomes())
    #expect(figures.system.uptime == 50)
  }

  @Test func thePolicyInForceIsExplained() async throws {
    let rule = try PolicyRule(name: "one call", conditions: [.callUp(true)], decision: .reject(.busy))
    let bench = try EngineBench(policy: CallPolicy(rules: [rule]))
    await bench.goOnline()
    var question = PolicyExplainParameters(caller: "u9")
    let idle = try await control(bench).explainPolicy(question)
    #expect(idle.explanation.rule == nil && idle.explanation.decision == "reject")
    question.callsUp = 1
    let busy = try await control(bench).explainPolicy(question)
    #expect(busy.explanation.rule == "one call" && busy.explanation.caller == "u9")
    #expect(busy.lines.last == "decision: reject (busy)")
    question.role = "king"
    let king = question
    await #expect(throws: DeviceControlError.invalidParameter("role")) {
      _ = try await control(bench).explainPolicy(king)
    }
    let nobody = PolicyExplainParameters(caller: nil)
    await #expect(throws: DeviceControlError.invalidParameter("caller")) {
      _ = try await control(bench).explainPolicy(nobody)
    }
    var action = nobody
    action.action = "open-door"
    let local = try await control(bench).explainPolicy(action).explanation
    #expect(local.caller == "local" && local.decision == "refuse")
  }

  @Test func theTimeAtTheHubIsToldAndReconnectsAreCounted() async throws {
    let bench = try EngineBench()
    #expect(try await control(bench).telemetry().hub == HubTelemetry(connectedTime: nil, reconnects: 0))
    await bench.goOnline()
    await bench.advance(.seconds(5))
    // The stream goes on under another token.
    await bench.goOnline()
    #expect(try await control(bench).telemetry().hub == HubTelemetry(connectedTime: 5, reconnects: 0))
    await bench.engine.handle(.closed)
    #expect(try await control(bench).telemetry().hub.connectedTime == nil)
    await bench.goOnline()
    #expect(try await control(bench).telemetry().hub == HubTelemetry(connectedTime: 0, reconnects: 1))
  }

  @Test func errorsAreInTheWordsOfTheSocket() async throws {
    let bench = try EngineBench()
    let control = control(bench)
    await #expect(throws: DeviceControlError.noSuchSession("x")) { try await control.hangUp(sessionID: "x") }
    await #expect(throws: DeviceControlError.noSuchArchive("x")) { try await control.stopArchive(archiveID: "x") }
    await bench.connectedCall()
    await #expect(throws: DeviceControlError.invalidParameter("text")) {
      try await control.sendChat(sessionID: "s", text: "")
    }
    bench.hub.refusal.withLock { $0 = .timedOut }
    await #expect(throws: DeviceControlError.notConnected) {
      try await control.sendChat(sessionID: "s", text: "hello")
    }
  }

  @Test func announcementsAreAFileOrAText() async throws {
    let bench = try EngineBench()
    let control = control(bench)
    try await control.say(SayParameters(path: "/srv/a.opus"))
    try await control.say(SayParameters(text: "hello", voice: "de+f2"))
    let speech = try #require(Announcement.Speech("hello", voice: "de+f2"))
    await bench.log.wait(for: "media announces \(Announcement.file(path: "/srv/a.opus"))")
    await bench.log.wait(for: "media announces \(Announcement.speech(speech))")
  }

  @Test(
    "An announcement that is neither, or both, is refused by its field",
    arguments: [
      (SayParameters(), "path"), (SayParameters(path: "a.wav"), "path"),
      (SayParameters(path: "/a", voice: "en"), "voice"),
      (SayParameters(path: "/a", text: "x"), "path"), (SayParameters(text: ""), "text"),
      (SayParameters(text: "a\u{1B}[2J"), "text"), (SayParameters(text: String(repeating: "a", count: 1_001)), "text"),
      (SayParameters(text: "x", voice: "../x"), "voice"), (SayParameters(text: "x", voice: "-x"), "voice"),
    ])
  func refusedAnnouncements(parameters: SayParameters, field: String) async throws {
    let control = control(try EngineBench())
    await #expect(throws: DeviceControlError.invalidParameter(field)) { try await control.say(parameters) }
  }

  @Test func allCallsAreRecordedAtOnce() async throws {
    let bench = try EngineBench()
    await bench.connectedCall("a")
    await bench.connectedCall("b")
    let control = control(bench)
    #expect(try await control.startArchive(sessionID: "a") == ["archive-a"])
    #expect(try await control.startArchive(sessionID: nil) == ["archive-b"])
    #expect(try await control.stopArchive(archiveID: nil) == ["archive-a", "archive-b"])
  }

  @Test func eventsAreInTheWordsOfTheSocket() async throws {
    let bench = try EngineBench()
    let control = control(bench)
    let events = await control.events()
    await bench.connectedCall()
    try await control.setMuted(.camera, true)
    await bench.engine.handle(.cameraSwapped(name: "/dev/video2"))
    try await control.hangUp(sessionID: "s")
    var seen: [String] = []
    for await event in events {
      seen.append("\(event.name) \(event.text ?? "")")
      if event.name == "call.ended" { break }
    }
    #expect(
      seen == [
        "call.incoming Anna", "call.answering Anna", "call.answered Anna", "call.connected Anna", "muted camera",
        "camera.swapped /dev/video2", "call.ended hangup",
      ])
  }

  private static func user(_ id: String, _ title: String) -> NearbyUser {
    NearbyUser(
      userID: id, userTitle: title, userLocation: nil, distance: nil, status: .available, kind: .person, isAudio: true,
      isVideo: true)
  }

  @Test("Somebody is called by id or title", arguments: ["u1", "Anna", "anna", "ANNA"])
  func calling(name: String) async throws {
    let bench = try EngineBench()
    await bench.goOnline()
    bench.hub.online.withLock { $0 = [Self.user("u2", "Bert"), Self.user("u1", "Anna")] }
    #expect(try await control(bench).call(user: name, media: .audio) == "s")
    await bench.log.wait(for: "hub place s u1 offer-s")
    #expect(bench.hub.lastPlaced.withLock { $0 }?.isVideo == false)
    let session = try #require(try await control(bench).status().sessions.first)
    #expect((session.callerID, session.receiverID, session.receiverTitle) == ("device", "u1", "Anna"))
    #expect(session.state == "calling")
  }

  @Test func aHuntTakesTitlesOfThoseWhoAreOffline() async throws {
    let bench = try EngineBench()
    await bench.goOnline()
    bench.hub.online.withLock { $0 = [Self.user("u1", "Anna")] }
    bench.hub.accounts.withLock { $0 = [TitledAccount(title: "Bert", userID: "u2", userTitle: "Bert")] }
    let control = control(bench)
    await #expect(throws: DeviceControlError.noSuchUser("Carl")) {
      _ = try await control.hunt(HuntParameters(users: ["Anna", "Carl"]))
    }
    _ = try await control.hunt(HuntParameters(users: ["Anna", "Bert"]))
    await bench.log.wait(for: "hub place s u1 offer-s")
  }

  @Test func aTitleThatIsWrittenExactlyGoesBeforeOthers() throws {
    let users = [Self.user("u1", "anna"), Self.user("u2", "Anna"), Self.user("Anna", "Bert")]
    #expect(try EngineControl.find("Anna", among: users).userID == "Anna")
    #expect(try EngineControl.find("Anna", among: Array(users.prefix(2))).userID == "u2")
  }

  @Test func whoIsNotFoundIsNotCalled() async throws {
    let bench = try EngineBench()
    await bench.goOnline()
    bench.hub.online.withLock { $0 = [Self.user("u1", "Anna"), Self.user("u2", "Anna")] }
    let control = control(bench)
    await #expect(throws: DeviceControlError.noSuchUser("Bert")) { try await control.call(user: "Bert", media: nil) }
    let offline = self.control(try EngineBench())
    await #expect(throws: DeviceControlError.notConnected) { try await offline.call(user: "Anna", media: nil) }
    let matches =
      "several who are online have the title \"Anna\"; call one by the id:\n"
      + "  u1  Anna  person\n  u2  Anna  person"
    await #expect(throws: DeviceControlError.ambiguousUser(message: matches)) {
      try await control.call(user: "Anna", media: nil)
    }
    bench.hub.online.withLock { $0 = [Self.user("u1", "Anna")] }
    _ = try await control.call(user: "Anna", media: nil)
    await #expect(throws: DeviceControlError.failed(message: "there is a call with Anna (u1) already")) {
      try await control.call(user: "u1", media: nil)
    }
  }

  @Test func callsOfThisDeviceAreSeenGoing() async throws {
    let bench = try EngineBench()
    let events = await control(bench).events()
    try await bench.connectedOutgoingCall()
    await bench.hubEnds(reason: "vanished")
    var seen: [String] = []
    for await event in events where event.name.hasPrefix("call.") {
      #expect(event.userID == "anna")
      seen.append("\(event.name) \(event.text ?? "")")
      if event.endsCall { break }
    }
    #expect(
      seen == [
        "call.outgoing Anna", "call.calling Anna", "call.answered Anna", "call.connected Anna", "call.ended vanished",
      ])
  }

  @Test func aRejectedCallIsSeenComingAndGoing() async throws {
    let bench = try EngineBench(.reject(.busy))
    let events = await control(bench).events()
    await bench.call()
    var seen: [String] = []
    for await event in events {
      seen.append("\(event.name) \(event.text ?? "")")
      if seen.count == 2 { break }
    }
    #expect(seen == ["call.incoming Anna", "call.rejected busy"])
  }

  @Test func aReloadThatFailsChangesNothing() async throws {
    let bench = try EngineBench()
    await #expect(throws: DeviceControlError.invalidConfiguration(message: "bad")) {
      try await control(bench) { throw DeviceControlError.invalidConfiguration(message: "bad") }.reload()
    }
    #expect(await bench.engine.status().title == "Gate")
    try await control(bench) { EngineSettings(title: "New", policy: CallPolicy(rules: [])) }.reload()
    #expect(await bench.engine.status().title == "New")
  }

  @Test func settingsAreTakenOverOneAfterTheOther() async throws {
    let bench = try EngineBench()
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let (begun, beginning) = AsyncStream.makeStream(of: String.self)
    let log = Mutex<[String]>([])
    let titles = Mutex(["first", "second"])
    let both = control(bench) {
      let title = titles.withLock { $0.removeFirst() }
      beginning.yield(title)
      if title == "first" { for await _ in gate { break } }
      log.withLock { $0.append(title) }
      return EngineSettings(title: title, policy: CallPolicy(rules: []))
    }
    let first = Task { try await both.reload() }
    for await _ in begun { break }
    let second = Task { try await both.reload() }
    for _ in 0..<100 { await Task.yield() }
    #expect(log.withLock { $0 } == [])
    opening.yield()
    try await first.value
    try await second.value
    #expect(log.withLock { $0 } == ["first", "second"])
    #expect(await bench.engine.status().title == "second")
  }
}
