import CallPolicy
import HubClient
import MediaCore
import MediaPlaneAPI
import Signalling
import SystemSupport
import Testing

@testable import CallEngine

@Suite("Archives, chat, controls, the end", .timeLimit(.minutes(1)))
struct CallServiceTests {
  private static let recorded = PolicyDecision.answer(.with { $0.isRecorded = true })

  @Test func aCallIsRecordedWhereThePolicySaysSo() async throws {
    let bench = try EngineBench(Self.recorded)
    await bench.connectedCall()
    await bench.log.wait(for: "hub archive archive-s started")
    #expect(await bench.lines.contains("media archive s anna all"))
    #expect(await bench.engine.currentCalls.first?.archiveID == "archive-s")
    await bench.hubEnds()
    await bench.log.wait(for: "hub archive archive-s stopped")
    #expect(await bench.lines.contains("media stop archive-s"))
  }

  @Test func aDiskThatPermitsNoArchiveDoesNotEndTheCall() async throws {
    let bench = try EngineBench(Self.recorded)
    bench.media.refusesArchives.withLock { $0 = true }
    await bench.connectedCall()
    await bench.log.wait(for: "media no archive s")
    await bench.drain()
    bench.media.refusesArchives.withLock { $0 = false }
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
    #expect(try await bench.engine.startArchive("s") == "archive-s")
  }

  @Test func anArchiveThatStopsByItselfIsAnnounced() async throws {
    let bench = try EngineBench(Self.recorded)
    await bench.connectedCall()
    await bench.log.wait(for: "hub archive archive-s started")
    await bench.engine.handle(.archiveStopped(archiveID: "archive-s", sessionID: "s", status: .failed))
    // The hub takes `started` and `stopped` alone.
    await bench.log.wait(for: "hub archive archive-s stopped")
    await bench.hubEnds()
    await bench.log.wait(for: "media hangup s")
    #expect(await !bench.lines.contains("media stop archive-s"))
  }

  /// As plans do: what is in the way may go, and the call goes on meanwhile.
  @Test(arguments: [ArchiveStatus.failed, .available]) func theRecordingResumesWhenSpaceReturns(status: ArchiveStatus)
    async throws
  {
    let bench = try EngineBench(Self.recorded)
    bench.media.numbersArchives.withLock { $0 = true }
    await bench.connectedCall()
    await bench.log.wait(for: "hub archive archive-s1 started")
    bench.media.refusesArchives.withLock { $0 = true }
    await bench.engine.handle(
      .archiveStopped(archiveID: "archive-s1", sessionID: "s", status: status, reason: "not enough disk space"))
    await bench.log.wait(for: "hub archive archive-s1 stopped")
    for attempt in 1...3 {
      await bench.advance(.seconds(10))
      await bench.log.wait(for: "media no archive s", count: attempt)
      await bench.drain()
    }
    bench.media.refusesArchives.withLock { $0 = false }
    await bench.advance(.seconds(10))
    await bench.log.wait(for: "hub archive archive-s2 started")
    #expect(await bench.engine.currentCalls.first?.archiveID == "archive-s2")
    // It is stopped for good by who stops it.
    try await bench.engine.stopArchive("archive-s2")
    await bench.log.wait(for: "media stop archive-s2")
    await bench.advance(.seconds(30))
    await bench.drain()
    #expect(await bench.engine.currentCalls.first?.archiveID == nil)
  }

  @Test func aRecordingThatTookItsShareDoesNotResume() async throws {
    let bench = try EngineBench(Self.recorded)
    bench.media.numbersArchives.withLock { $0 = true }
    await bench.connectedCall()
    await bench.log.wait(for: "hub archive archive-s1 started")
    await bench.engine.handle(
      .archiveStopped(
        archiveID: "archive-s1", sessionID: "s", status: .available, reason: ArchiveLimit.share.rawValue))
    await bench.log.wait(for: "hub archive archive-s1 stopped")
    await bench.advance(.seconds(30))
    await bench.drain()
    #expect(await !bench.lines.contains("hub archive archive-s2 started"))
  }

  /// The policy wants a recording, and the disk permits none at first.
  @Test func aRecordingThatCouldNotStartBeginsLater() async throws {
    let bench = try EngineBench(Self.recorded)
    bench.media.refusesArchives.withLock { $0 = true }
    await bench.connectedCall()
    await bench.log.wait(for: "media no archive s")
    await bench.drain()
    bench.media.refusesArchives.withLock { $0 = false }
    await bench.advance(.seconds(10))
    await bench.log.wait(for: "hub archive archive-s started")
  }

  /// The disk fails between the archive's first moment and the answer that it has begun.
  @Test func anArchiveThatStopsBeforeItIsKnownIsNoneThatRuns() async throws {
    let bench = try EngineBench(Self.recorded)
    let gate = Gate()
    bench.media.archiveGate.withLock { $0 = gate }
    await bench.connectedCall()
    await bench.log.wait(for: "media archive s anna all")
    await bench.engine.handle(.archiveStopped(archiveID: "archive-s", sessionID: "s", status: .failed))
    bench.media.archiveGate.withLock { $0 = nil }
    gate.open()
    await bench.drain()
    #expect(await bench.engine.currentCalls.map(\.archiveID) == [nil])
    #expect(try await bench.engine.startArchive("s") == "archive-s")
  }

  @Test func anArchiveIsStartedAndStoppedByHand() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    #expect(try await bench.engine.startArchive("s") == "archive-s")
    #expect(await bench.lines.contains("media archive s anna -"))
    await #expect(throws: EngineError.noSuchCall) { try await bench.engine.startArchive("s") }
    try await bench.engine.stopArchive("archive-s")
    await bench.log.wait(for: "media stop archive-s")
    await #expect(throws: EngineError.noSuchArchive) { try await bench.engine.stopArchive("archive-s") }
  }

  @Test func anArchiveThatCannotStartIsAnErrorToWhoAsked() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    bench.media.refusesArchives.withLock { $0 = true }
    await #expect(throws: EngineError.archiveRefused) { try await bench.engine.startArchive("s") }
  }

  @Test func aModeratorControlsTheDevice() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.control("mute", "microphone")
    await bench.log.wait(for: "hub result s mute done")
    #expect(await bench.lines.contains("media mute microphone"))
    #expect(await bench.engine.status().muted.targets == [.microphone])
    await bench.control("unmute", "microphone")
    await bench.log.wait(for: "media unmute microphone")
    await bench.control("start-archive")
    await bench.log.wait(for: "hub archive archive-s started")
    await bench.control("stop-archive")
    await bench.log.wait(for: "media stop archive-s")
    await bench.control("stop-archive")
    await bench.log.wait(for: "hub result s stop-archive not-possible")
    await bench.control("swap-camera")
    await bench.log.wait(for: "hub result s swap-camera not-possible")
    bench.media.otherCamera.withLock { $0 = "/dev/video2" }
    await bench.control("swap-camera")
    await bench.log.wait(for: "hub result s swap-camera done")
  }

  @Test("Others do not", arguments: [SessionRole.publisher, .subscriber])
  func roles(role: SessionRole) async throws {
    let bench = try EngineBench()
    await bench.connectedCall(role: role)
    for action in ["mute", "unmute", "start-archive", "stop-archive", "swap-camera", "choose-camera"] {
      // The event's word for the role counts for nothing.
      await bench.control(action, "microphone", role: .moderator)
      await bench.log.wait(for: "hub result s \(action) not-allowed role")
    }
    #expect(await !bench.lines.contains { $0.hasPrefix("media mute") || $0.hasPrefix("media archive") })
  }

  @Test(
    "Controls that do not exist",
    arguments: [("explode", nil), ("mute", "nose"), ("mute", nil), ("choose-camera", nil)])
  func unknownControls(action: String, target: String?) async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.control(action, target)
    await bench.log.wait(for: "hub result s \(action) unknown-action")
  }

  @Test func chatGoesBothWaysWithoutEcho() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.handle(.signal(SignalEvent(sessionID: "s", userID: "anna", type: "chat", data: "hello")))
    try await bench.engine.sendChat("s", text: "good day")
    await bench.engine.handle(.signal(SignalEvent(sessionID: "s", userID: "device", type: "chat", data: "good day")))
    await bench.engine.handle(.signal(SignalEvent(sessionID: "x", userID: "anna", type: "chat", data: "lost")))
    #expect(await bench.lines.contains("hub signal s chat good day"))
    #expect(
      await bench.chat(2) == [
        ChatMessage(sessionID: "s", userID: "anna", isOutgoing: false, text: "hello"),
        ChatMessage(sessionID: "s", userID: "device", isOutgoing: true, text: "good day"),
      ])
  }

  @Test("Chat that is refused", arguments: ["", String(repeating: "ä", count: 4097)])
  func invalidChat(text: String) async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await #expect(throws: EngineError.invalidMessage) { try await bench.engine.sendChat("s", text: text) }
  }

  @Test func watchersSeeWhatHappens() async throws {
    let bench = try EngineBench()
    let events = bench.engine.events()
    await bench.connectedCall()
    await bench.hubEnds()
    var phases: [CallPhase] = []
    for await event in events {
      guard case .call(let snapshot) = event else { continue }
      phases.append(snapshot.phase)
      if snapshot.phase.isEnded { break }
    }
    #expect(phases == [.answering, .connecting, .connected, .ended(reason: "hangup")])
  }

  @Test func stoppingEndsEverythingInOrder() async throws {
    let bench = try EngineBench(Self.recorded)
    await bench.engine.handle(.hello(HelloEvent(eventStreamID: "e", isReset: false)))
    await bench.connectedCall()
    await bench.log.wait(for: "hub archive archive-s started")
    bench.hub.endDelay.withLock { $0 = .milliseconds(100) }
    await bench.engine.stop()
    let lines = await bench.lines
    #expect(lines.contains("media hangup s") && lines.contains("media stop archive-s"))
    // The other way round the hub would end the call, for the reason that the device has vanished.
    let ended = try #require(lines.firstIndex(of: "hub end s shutdown"))
    #expect(try ended < #require(lines.firstIndex(of: "hub withdraw")))
    await bench.call("late")
    #expect(await bench.engine.currentCalls.isEmpty)
  }

  @Test func settingsAreReplacedUnderRunningCalls() async throws {
    let bench = try EngineBench()
    await bench.connectedCall()
    await bench.engine.apply(EngineSettings(title: "New", policy: CallPolicy(rules: [], defaultReason: .declined)))
    await bench.call("t")
    await bench.log.wait(for: "hub reject t declined")
    #expect(await bench.engine.currentCalls.map(\.phase) == [.connected])
    #expect(await bench.engine.status().title == "New")
  }

  @Test func theLoopTurnsForTheWatchdogAndStopsWhenCancelled() async throws {
    let bench = try EngineBench()
    let task = Task { await bench.engine.run() }
    bench.hub.emit(.hello(HelloEvent(eventStreamID: "e", isReset: false)))
    await bench.log.wait(for: "hub presence")
    #expect(bench.engine.iterationCount > 0)
    task.cancel()
    await task.value
  }
}
