import CallPolicy
import MediaCore
import Locking
import MediaPlaneAPI
import Signalling
import Testing

@testable import CallEngine

/// A device that records itself for as long as the daemon runs.
@Suite(.timeLimit(.minutes(1))) struct ContinuousRecordingTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private func running(_ archiveID: ArchiveID = "a") -> ContinuousRecording {
    var recording = ContinuousRecording()
    recording.setWanted(true, now: start)
    #expect(recording.nextStep(now: start) == .start)
    recording.started(archiveID, now: start)
    return recording
  }

  @Test func nothingHappensUnlessWanted() {
    var recording = ContinuousRecording()
    #expect(recording.nextStep(now: start) == nil)
    #expect(recording.nextDeadline == nil)
    #expect(recording.summary == nil)
  }

  @Test func archivesOverlap() {
    var recording = running()
    #expect(recording.summary == "recording")
    #expect(recording.nextDeadline == start + .seconds(3_600))
    #expect(recording.nextStep(now: start + .seconds(3_599)) == nil)
    let next = start + .seconds(3_600)
    #expect(recording.nextStep(now: next) == .start)
    #expect(recording.nextStep(now: next) == nil)
    recording.started("b", now: next)
    #expect(recording.nextStep(now: next) == nil)
    #expect(recording.nextDeadline == next + .seconds(3))
    #expect(recording.nextStep(now: next + .seconds(3)) == .stop(archiveID: "a"))
    recording.ended("a", byHand: false, now: next + .seconds(3))
    #expect(recording.nextStep(now: next + .seconds(3)) == nil)
    #expect(recording.nextDeadline == next + .seconds(3_600))
  }

  @Test func theOldArchiveGoesOnWhileTheNextCannotBegin() {
    var recording = running()
    let next = start + .seconds(3_600)
    #expect(recording.nextStep(now: next) == .start)
    let isNews = recording.failed("disk full", now: next)
    #expect(isNews)
    #expect(recording.summary?.contains("disk full") == true)
    #expect(recording.nextStep(now: next + .seconds(9)) == nil)
    #expect(recording.nextStep(now: next + .seconds(10)) == .start)
    recording.ended("a", byHand: false, now: next + .seconds(10))
    recording.started("b", now: next + .seconds(11))
    #expect(recording.nextStep(now: next + .seconds(60)) == nil, "the old one has ended by itself")
  }

  @Test func failuresAreTriedAgainAndToldOnce() {
    var recording = ContinuousRecording()
    recording.setWanted(true, now: start)
    #expect(recording.nextStep(now: start) == .start)
    let isNews = recording.failed("read-only", now: start)
    #expect(isNews)
    #expect(recording.summary == "not recording: read-only")
    let retry = start + .seconds(10)
    #expect(recording.nextDeadline == retry)
    #expect(recording.nextStep(now: retry) == .start)
    let isNewsAgain = recording.failed("read-only", now: retry)
    #expect(!isNewsAgain)
    #expect(recording.nextStep(now: retry + .seconds(10)) == .start)
    recording.started("a", now: retry + .seconds(10))
    #expect(recording.summary == "recording")
  }

  @Test func whatWasStoppedByHandWaitsForAReload() {
    var recording = running()
    recording.ended("a", byHand: true, now: start)
    #expect(recording.summary == "stopped by hand")
    #expect(recording.nextStep(now: start + .seconds(100_000)) == nil)
    recording.setWanted(true, now: start + .seconds(5))
    #expect(recording.nextStep(now: start + .seconds(5)) == .start)
  }

  @Test func aSettingThatIsTakenBackDuringAStartEndsIt() {
    var recording = ContinuousRecording()
    recording.setWanted(true, now: start)
    #expect(recording.nextStep(now: start) == .start)
    recording.setWanted(false, now: start)
    #expect(recording.nextStep(now: start) == nil)
    recording.started("a", now: start)
    #expect(recording.nextStep(now: start) == .stop(archiveID: "a"))
    #expect(recording.nextStep(now: start) == nil)
  }

  // MARK: In the engine

  private func bench(recordsAlways: Bool = true) async throws -> EngineBench {
    let bench = try EngineBench()
    await set(recordsAlways, bench)
    return bench
  }

  private func set(_ recordsAlways: Bool, _ bench: EngineBench) async {
    var settings = await bench.engine.settings
    settings.recordsAlways = recordsAlways
    await bench.engine.apply(settings)
  }

  @Test func engineRecordsFromTheStartAndCallsHaveArchivesOfTheirOwn() async throws {
    let bench = try await bench()
    await bench.log.wait(for: "media archive   -")
    await bench.connectedCall()
    let archiveID = try await bench.engine.startArchive("s")
    #expect(archiveID == "archive-s")
    let running = await bench.engine.runningArchives
    #expect(running == ["archive-s", "archive-"])
    #expect(await bench.engine.status().continuousRecording == "recording")
    await set(false, bench)
    await bench.log.wait(for: "media stop archive-")
    #expect(await bench.engine.status().continuousRecording == nil)
  }

  @Test func engineBeginsWhenTheFolderIsMended() async throws {
    let bench = try EngineBench()
    bench.media.refusesArchives.withLock { $0 = true }
    await set(true, bench)
    await bench.log.wait(for: "media no archive ")
    while await bench.engine.recorder.continuous.problem == nil { await Task.yield() }
    bench.media.refusesArchives.withLock { $0 = false }
    await bench.advance(.seconds(10))
    await bench.log.wait(for: "media archive   -")
  }

  @Test func engineGoesOnAfterAnArchiveThatEndsByItself() async throws {
    let bench = try await bench()
    while await bench.engine.runningArchives.isEmpty { await Task.yield() }
    await bench.engine.handle(.archiveStopped(archiveID: "archive-", sessionID: nil, status: .failed))
    #expect(await bench.engine.runningArchives.isEmpty)
    await bench.advance(.seconds(10))
    while await bench.engine.runningArchives.isEmpty { await Task.yield() }
  }

  @Test func engineLeavesAStopByHandAloneUntilAStartByHand() async throws {
    let bench = try await bench()
    while await bench.engine.runningArchives.isEmpty { await Task.yield() }
    try await bench.engine.stopArchive("archive-")
    await bench.advance(.seconds(100))
    #expect(await bench.engine.runningArchives.isEmpty)
    #expect(await bench.engine.status().continuousRecording == "stopped by hand")
    _ = try await bench.engine.startDeviceArchive()
    #expect(await bench.engine.status().continuousRecording == "recording")
  }
}
