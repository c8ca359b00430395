import Archive
import DeviceMedia
import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import Signalling
import Testing

@Suite("What does not work is known before somebody calls, and kept afterwards", .timeLimit(.minutes(1)))
struct ProblemTests {
  /// What looks at idle devices finds; counts its looks.
  private final class Finding: Sendable {
    let problems = Mutex<[MuteTarget: String]>([:])
    let looks = Mutex<[MuteTarget]>([])

    func probe(_ target: MuteTarget) -> String? {
      looks.withLock { $0.append(target) }
      return problems.withLock { $0[target] }
    }

    func count(_ target: MuteTarget) -> Int { looks.withLock { $0.count { $0 == target } } }
  }

  private func bench(_ finding: Finding) async throws -> MediaBench {
    try await MediaBench { finding.probe($0) }
  }

  /// Lets the next round of looks be made.
  private func nextRound(_ bench: MediaBench, _ finding: Finding) async -> Bool {
    let before = finding.count(.camera)
    guard await eventually({ bench.clock.sleeperCount > 0 }) else { return false }
    bench.clock.advance(by: .seconds(60))
    return await eventually { finding.count(.camera) > before && bench.clock.sleeperCount > 0 }
  }

  @Test func `a camera that cannot work is told before anybody calls`() async throws {
    let finding = Finding()
    finding.problems.withLock { $0 = [.camera: "no permission", .speaker: "busy"] }
    let bench = try await bench(finding)
    #expect(await bench.events.contains(.notice(.deviceFailed(.camera, reason: "no permission"))))
    #expect(await bench.events.contains(.notice(.deviceFailed(.speaker, reason: "busy"))))
    let problems = await bench.media.status().problems
    #expect(problems.map(\.part) == [.camera, .speaker])
    #expect(problems.allSatisfy { $0.until == nil })
    #expect(problems.first?.text == "no permission")
  }

  @Test func `what fails again and again in the same words is told once, until it works`() async throws {
    let bench = try await MediaBench()
    for _ in 0..<5 { bench.pipeline.emit(.failed(.video, reason: "gone")) }
    bench.pipeline.emit(.failed(.video, reason: "busy"))
    bench.pipeline.emit(.opened(.video, name: "/dev/video0", description: "here"))
    bench.pipeline.emit(.failed(.video, reason: "busy"))
    bench.pipeline.emit(.failed(.audio, reason: "end"))
    #expect(await bench.events.contains(.notice(.deviceFailed(.microphone, reason: "end"))))
    #expect(
      bench.events.notices == [
        .deviceFailed(.camera, reason: "gone"), .deviceFailed(.camera, reason: "busy"),
        .deviceOpened(.camera, details: "here"), .deviceFailed(.camera, reason: "busy"),
        .deviceFailed(.microphone, reason: "end"),
      ])
  }

  @Test func `what sources of events cannot be given is told once, and given later`() async throws {
    let finding = Finding()
    let bench = try await bench(finding)
    bench.pipeline.state.withLock { $0.refusesStart = true }
    var changes = DeviceMediaChanges()
    changes.watched = [.video]
    await bench.media.apply(changes)
    let refusal = DeviceNotice.captureRefused(reason: "\(FakePipeline.Refusal())")
    #expect(await bench.events.contains(.notice(refusal)))
    #expect(await nextRound(bench, finding))
    #expect(bench.pipeline.running.isEmpty)
    bench.pipeline.state.withLock { $0.refusesStart = false }
    #expect(await nextRound(bench, finding))
    #expect(bench.pipeline.running == [.video])
    #expect(bench.events.notices.count { $0 == refusal } == 1)
  }

  @Test func `a problem is kept when it is over, with its time`() async throws {
    let finding = Finding()
    finding.problems.withLock { $0 = [.microphone: "no card"] }
    let bench = try await bench(finding)
    let began = bench.clock.now
    #expect(await bench.events.contains(.notice(.deviceFailed(.microphone, reason: "no card"))))
    finding.problems.withLock { $0 = [:] }
    #expect(await nextRound(bench, finding))
    let over = MediaProblem(
      part: .microphone, text: "no card", since: began, until: began + .seconds(60))
    #expect(await bench.media.status().problems == [over])
    // It is told once, and no more when it is over.
    #expect(bench.events.notices.count == 1)
  }

  @Test func `sound cards are looked at less often than cameras, unless they do not work`() async throws {
    let finding = Finding()
    finding.problems.withLock { $0 = [.microphone: "no card"] }
    let bench = try await bench(finding)
    for _ in 0..<10 { #expect(await nextRound(bench, finding)) }
    #expect(finding.count(.camera) == 11)
    #expect(finding.count(.microphone) == 11)
    #expect(finding.count(.speaker) == 2)
  }

  @Test func `what is in use is not looked at`() async throws {
    let finding = Finding()
    let bench = try await bench(finding)
    try await bench.answer("a")
    bench.pipeline.emit(.opened(.audio, name: "hw:0", description: "card"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.microphone, details: "card"))))
    finding.problems.withLock { $0 = [.microphone: "busy", .camera: "gone"] }
    for _ in 0..<10 { #expect(await nextRound(bench, finding)) }
    #expect(await bench.media.status().problems.map(\.part) == [.camera])
  }

  @Test func `a device that fails in a call, and works again, leaves its problem behind`() async throws {
    let bench = try await MediaBench()
    bench.pipeline.emit(.failed(.video, reason: "unplugged"))
    #expect(await bench.events.contains(.notice(.deviceFailed(.camera, reason: "unplugged"))))
    #expect(await bench.media.status().problems.first?.until == nil)
    bench.pipeline.emit(.opened(.video, name: "/dev/video0", description: "camera"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.camera, details: "camera"))))
    let problem = try #require(await bench.media.status().problems.first)
    #expect(problem.text == "unplugged" && problem.until != nil)
  }

  @Test func `an archive that its disk ends is a problem of the past`() async throws {
    let bench = try await MediaBench()
    let (_, recorder) = try await bench.record(nil)
    recorder.fail()
    #expect(await eventually { bench.events.notices.count == 1 })
    let problem = try #require(await bench.media.status().problems.first)
    #expect(problem.part == .archives && problem.until != nil)
    let figures = await bench.media.telemetry().archives
    #expect((figures.started, figures.failures, figures.open) == (1, 1, 0))
    #expect(figures.lastError != nil)
  }

  @Test func `an archive that cannot be begun is counted`() async throws {
    let bench = try await MediaBench()
    bench.disk.refuses.withLock { $0 = true }
    await #expect(throws: FakeDisk.Refusal.self) { try await bench.record(nil) }
    let figures = await bench.media.telemetry().archives
    #expect((figures.started, figures.failures) == (0, 1))
    #expect(bench.disk.retention.log.withLock { $0 } == ["failed"])
  }
}

@Suite("Figures of the media side", .timeLimit(.minutes(1)))
struct MediaTelemetryTests {
  @Test func `sessions, playout and disk are told in their units`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a", mayTalk: true)
    var counters = PeerSessionStatistics()
    counters.isConnected = true
    (counters.bytesSent, counters.packetsResent, counters.sendPacketsLost) = (7_000, 3, 12)
    (counters.sendLoss, counters.roundTripTime) = (64, .milliseconds(80))
    counters.sendEstimate = .kilobits(700)
    bench.network.state.withLock { [counters] in $0.statistics = ["a": counters, "unknown": counters] }
    bench.disk.retention.knownUsage.withLock {
      $0 = ArchiveUsage(
        disk: DiskState(free: 5, capacity: 10), byteCount: 3, limits: ArchiveLimits(maximumTotal: 4, minimumFree: 1))
    }
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    bench.playout.state.withLock { $0.underruns = 2 }
    let figures = await bench.media.telemetry()
    let session = try #require(figures.sessions.first)
    #expect(figures.sessions.count == 1)
    #expect((session.bytesSent, session.packetsResent, session.sendPacketsLost) == (7_000, 3, 12))
    #expect((session.sendLoss, session.roundTripTime, session.sendEstimate) == (0.25, 80, 700_000))
    #expect(figures.playout.underruns == 2)
    #expect(figures.disk == DiskTelemetry(free: 5, capacity: 10, minimumFree: 1, archives: 3, maximumArchives: 4))
    #expect(figures.video.targetBitrate == MediaPipelineConfiguration().videoBitrate.bitsPerSecond)
    await bench.media.hangUp(sessionID: "a")
    let after = await bench.media.telemetry()
    #expect(after.sessions.isEmpty)
    #expect(after.playout.underruns == 2)
  }
}
