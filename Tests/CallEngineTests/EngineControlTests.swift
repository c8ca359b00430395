import CallPolicy
import ControlMessages
import HubClient
import MediaCore
import Signalling
import Synchronization
import Testing

@testable import CallEngine

@Suite("What the control socket asks", .timeLimit(.minutes(1)))
struct EngineControlTests {
  private struct EmptyCatalog: ArchiveCatalog {
    func summaries(limit: Int) async throws -> [ArchiveSummary] { [] }
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
      engine: bench.engine, identity: .init(version: "1", hubURL: "http://h", startedAt: 5), catalog: EmptyCatalog(),
      reloadSettings: reload)
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
  }

  @Test func statusShowsDevicesRecordingsAndTheClock() async throws {
    let bench = try EngineBench(isClockSynchronized: false)
    var camera = MediaPlaneStatus.Device(target: .camera, name: "/dev/video0", state: "streaming", isMuted: false)
    (camera.details, camera.frameRate, camera.dropped) = ("YUYV 640×480 at 30/s", 29.9, 3)
    let started = bench.now
    let archive = MediaPlaneStatus.Archive(
      archiveID: "a", sessionID: "", startedAt: started, size: 7, droppedFrames: 2)
    bench.media.shownStatus.withLock { $0 = MediaPlaneStatus(devices: [camera], archives: [archive]) }
    await bench.advance(.seconds(60))
    let status = try await control(bench).status()
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
}
