import CallPolicy
import EventDetection
import MediaCore
import SystemSupport
import MediaPlaneAPI
import Signalling
import TestSupport
import Testing

@testable import CallEngine

/// One archive after another for the plans that want something recorded.
@Suite(.timeLimit(.minutes(1))) struct PlannedRecordingTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private let wanted = PlannedArchive(plans: ["day"])

  private func running(_ archiveID: ArchiveID = "a") -> PlannedRecording {
    var recording = PlannedRecording()
    #expect(recording.nextStep(wanted: wanted, now: start) == .start(wanted, previous: nil))
    recording.started(archiveID, now: start)
    return recording
  }

  @Test func nothingHappensUnlessWanted() {
    var recording = PlannedRecording()
    #expect(recording.nextStep(wanted: nil, now: start) == nil)
    #expect(recording.nextDeadline(wanted: nil) == nil)
  }

  @Test func archivesOverlap() {
    var recording = running()
    #expect(recording.text(of: "day") == "recording")
    #expect(recording.nextDeadline(wanted: wanted) == start + .seconds(3_600))
    #expect(recording.nextStep(wanted: wanted, now: start + .seconds(3_599)) == nil)
    let next = start + .seconds(3_600)
    #expect(recording.nextStep(wanted: wanted, now: next) == .start(wanted, previous: ["day"]))
    #expect(recording.nextStep(wanted: wanted, now: next) == nil)
    recording.started("b", now: next)
    #expect(recording.nextStep(wanted: wanted, now: next) == nil)
    #expect(recording.nextDeadline(wanted: wanted) == next + .seconds(3))
    let stop = PlannedRecording.Step.stop(archiveID: "a", isFollowed: true)
    #expect(recording.nextStep(wanted: wanted, now: next + .seconds(3)) == stop)
    recording.ended("a", manual: false, now: next + .seconds(3))
    #expect(recording.nextStep(wanted: wanted, now: next + .seconds(3)) == nil)
    #expect(recording.nextDeadline(wanted: wanted) == next + .seconds(3_600))
  }

  @Test func otherPlansHaveTheNextArchiveAndNothingIsWrittenTwice() {
    var recording = running()
    let both = PlannedArchive(plans: ["day", "yard"])
    #expect(recording.nextStep(wanted: both, now: start + .seconds(60)) == .start(both, previous: ["day"]))
    recording.started("b", now: start + .seconds(60))
    #expect(recording.currentPlans == ["day", "yard"])
    let stop = PlannedRecording.Step.stop(archiveID: "a", isFollowed: true)
    #expect(recording.nextStep(wanted: both, now: start + .seconds(63)) == stop)
    #expect(recording.nextStep(wanted: wanted, now: start + .seconds(64)) == .start(wanted, previous: ["day", "yard"]))
    recording.started("c", now: start + .seconds(64))
    #expect(recording.nextStep(wanted: both, now: start + .seconds(65)) == .start(both, previous: ["day"]))
    recording.started("d", now: start + .seconds(65))
    var stopped: [ArchiveID] = []
    while case .stop(let id, true) = recording.nextStep(wanted: both, now: start + .seconds(69)) { stopped.append(id) }
    #expect(stopped == ["b", "c"], "changes in quick succession leave no archive behind")
  }

  @Test func anotherMannerHasTheNextArchiveAndAnotherOrderHasNot() {
    var recording = PlannedRecording()
    let both = PlannedArchive(plans: ["day", "yard"])
    #expect(recording.nextStep(wanted: both, now: start) == .start(both, previous: nil))
    recording.started("a", now: start)
    let turned = PlannedArchive(plans: ["yard", "day"])
    #expect(recording.nextStep(wanted: turned, now: start + .seconds(1)) == nil)
    let thinned = PlannedArchive(plans: both.plans, mode: PlannedArchive.RecordingMode(isThinned: true))
    #expect(
      recording.nextStep(wanted: thinned, now: start + .seconds(2)) == .start(thinned, previous: ["day", "yard"]))
    recording.started("b", now: start + .seconds(2))
    #expect(recording.nextStep(wanted: thinned, now: start + .seconds(4)) == nil, "both run for a while")
    let stop = PlannedRecording.Step.stop(archiveID: "a", isFollowed: true)
    #expect(recording.nextStep(wanted: thinned, now: start + .seconds(5)) == stop)
  }

  @Test func theOldArchiveGoesOnWhileTheNextCannotBegin() {
    var recording = running()
    let next = start + .seconds(3_600)
    #expect(recording.nextStep(wanted: wanted, now: next) == .start(wanted, previous: ["day"]))
    let isNew = recording.failed("disk full", now: next)
    #expect(isNew)
    #expect(recording.text(of: "day").contains("disk full"))
    #expect(recording.text(of: "yard") == "not recording: disk full")
    #expect(recording.nextStep(wanted: wanted, now: next + .seconds(9)) == nil)
    #expect(recording.nextStep(wanted: wanted, now: next + .seconds(10)) == .start(wanted, previous: ["day"]))
    recording.ended("a", manual: false, now: next + .seconds(10))
    recording.started("b", now: next + .seconds(11))
    #expect(recording.nextStep(wanted: wanted, now: next + .seconds(60)) == nil, "the old one has ended by itself")
  }

  @Test func failuresAreTriedAgainAndToldOnce() {
    var recording = PlannedRecording()
    #expect(recording.nextStep(wanted: wanted, now: start) == .start(wanted, previous: nil))
    let isNew = recording.failed("read-only", now: start)
    #expect(isNew)
    #expect(recording.text(of: "day") == "not recording: read-only")
    let retry = start + .seconds(10)
    #expect(recording.nextDeadline(wanted: wanted) == retry)
    #expect(recording.nextStep(wanted: wanted, now: retry) == .start(wanted, previous: nil))
    let isNewAgain = recording.failed("read-only", now: retry)
    #expect(!isNewAgain)
    #expect(recording.nextStep(wanted: wanted, now: retry + .seconds(10)) == .start(wanted, previous: nil))
    recording.started("a", now: retry + .seconds(10))
    #expect(recording.text(of: "day") == "recording")
  }

  @Test func whatIsNotWantedAnyMoreDuringAStartEnds() {
    var recording = PlannedRecording()
    #expect(recording.nextStep(wanted: wanted, now: start) == .start(wanted, previous: nil))
    #expect(recording.nextStep(wanted: nil, now: start) == nil)
    recording.started("a", now: start)
    #expect(recording.nextStep(wanted: nil, now: start) == .stop(archiveID: "a", isFollowed: false))
    #expect(recording.nextStep(wanted: nil, now: start) == nil)
  }

  // MARK: In the engine

  private func bench(recordsAlways: Bool = true) async throws -> EngineBench {
    let bench = try EngineBench()
    await set(recordsAlways, bench)
    return bench
  }

  private func set(_ recordsAlways: Bool, _ bench: EngineBench) async {
    var settings = await bench.engine.settings
    settings.plans = recordsAlways ? [.always] : []
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
    #expect(await bench.engine.status().plans.map(\.text) == ["recording"])
    await set(false, bench)
    await bench.log.wait(for: "media stop archive-")
    #expect(await bench.engine.status().plans.isEmpty)
  }

  @Test func engineBeginsWhenTheFolderIsMended() async throws {
    let bench = try EngineBench()
    bench.media.refusesArchives.withLock { $0 = true }
    await set(true, bench)
    await bench.log.wait(for: "media no archive ")
    try await eventually { await bench.engine.recorder.recordings["always"].problem != nil }
    bench.media.refusesArchives.withLock { $0 = false }
    await bench.advance(.seconds(10))
    await bench.log.wait(for: "media archive   -")
  }

  @Test func engineGoesOnAfterAnArchiveThatEndsByItself() async throws {
    let bench = try await bench()
    try await eventually { await !bench.engine.runningArchives.isEmpty }
    await bench.engine.handle(.archiveStopped(archiveID: "archive-", sessionID: nil, status: .failed))
    #expect(await bench.engine.runningArchives.isEmpty)
    await bench.advance(.seconds(10))
    try await eventually { await !bench.engine.runningArchives.isEmpty }
  }

  /// That the archive ended has been reported: that the next one cannot begin for the same reason is no news, and shown.
  @Test func whatEndedAnArchiveIsReportedOnce() async throws {
    let bench = try await bench()
    try await eventually { await !bench.engine.runningArchives.isEmpty }
    bench.media.refusesArchives.withLock { $0 = true }
    await bench.engine.handle(
      .archiveStopped(archiveID: "archive-", sessionID: nil, status: .available, reason: "not enough disk space"))
    #expect(await bench.engine.status().plans.map(\.text) == ["not recording: not enough disk space"])
    let before = await bench.engine.recorder.recordings["always"].problem
    #expect(before == "not enough disk space")
    await bench.advance(.seconds(10))
    await bench.log.wait(for: "media no archive ")
    bench.media.refusesArchives.withLock { $0 = false }
    // The next attempt counts from when the engine learns of the refusal, which may be after the clock moved.
    try await eventually {
      await bench.advance(.seconds(10))
      return await !bench.engine.runningArchives.isEmpty
    }
    #expect(await bench.engine.status().plans.map(\.text) == ["recording"])
  }

  /// The disk fails between the archive's first moment and the answer that it has begun.
  @Test func anArchiveThatFailsBeforeItIsKnownIsStartedAgain() async throws {
    let bench = try EngineBench()
    let gate = Gate()
    bench.media.archiveGate.withLock { $0 = gate }
    await set(true, bench)
    await bench.log.wait(for: "media archive   -")
    await bench.engine.handle(.archiveStopped(archiveID: "archive-", sessionID: nil, status: .failed))
    bench.media.archiveGate.withLock { $0 = nil }
    gate.open()
    try await eventually { await bench.engine.recorder.recordings["always"].problem != nil }
    #expect(await bench.engine.runningArchives.isEmpty)
    bench.media.numbersArchives.withLock { $0 = true }
    await bench.advance(.seconds(10))
    try await eventually { await bench.engine.runningArchives == ["archive-1"] }
  }

  @Test func aManualArchiveThatFailsBeforeItIsKnownIsRefused() async throws {
    let bench = try EngineBench()
    let gate = Gate()
    bench.media.archiveGate.withLock { $0 = gate }
    let start = Task { try await bench.engine.startDeviceArchive() }
    await bench.log.wait(for: "media archive   -")
    await bench.engine.handle(.archiveStopped(archiveID: "archive-", sessionID: nil, status: .failed))
    gate.open()
    await #expect(throws: (any Error).self) { try await start.value }
    #expect(await bench.engine.runningArchives.isEmpty)
  }

  @Test func concurrentManualStartsShareOneArchive() async throws {
    let bench = try EngineBench()
    bench.media.numbersArchives.withLock { $0 = true }
    let gate = Gate()
    bench.media.archiveGate.withLock { $0 = gate }
    let starts = (0..<4).map { _ in Task { try await bench.engine.startDeviceArchive() } }
    await bench.log.wait(for: "media archive   -")
    for _ in 0..<100 { await Task.yield() }
    gate.open()
    for start in starts { #expect(try await start.value == "archive-1") }
    #expect(await bench.engine.runningArchives == ["archive-1"])
    #expect(try await bench.engine.startDeviceArchive() == "archive-1")
    try await bench.engine.stopArchive("archive-1")
    #expect(try await bench.engine.startDeviceArchive() == "archive-2")
  }

  @Test func engineLeavesAStopByHandAloneUntilAStartByHand() async throws {
    let bench = try await bench()
    try await eventually { await !bench.engine.runningArchives.isEmpty }
    try await bench.engine.stopArchive("archive-")
    await bench.advance(.seconds(100))
    #expect(await bench.engine.runningArchives.isEmpty)
    #expect(await bench.engine.status().plans.map(\.text) == ["stopped manually"])
    _ = try await bench.engine.startDeviceArchive()
    #expect(await bench.engine.status().plans.map(\.text) == ["recording"])
  }

  @Test func engineRecordsFromBeforeAnEventUntilAfterIt() async throws {
    let bench = try EngineBench()
    var settings = await bench.engine.settings
    let occasion = RecordingPlan.EventOccasion(sources: ["yard"], preRoll: .seconds(10), postRoll: .seconds(20))
    settings.plans = [RecordingPlan(name: "events", occasion: .events(occasion))]
    await bench.engine.apply(settings)
    let work = Task { await bench.engine.recorder.run() }
    defer { work.cancel() }
    #expect(await bench.engine.status().plans.map(\.text) == ["waits for an event"])
    var event = TimedEvent(
      DetectedEvent(id: "1", kind: .motion, source: "yard", start: 0, score: 50, clockSynchronized: true),
      start: bench.now)
    bench.engine.note(.detected(event))
    try await eventually { await bench.engine.status().plans.map(\.text) == ["recording"] }
    let asked = bench.media.lastArchive.withLock { $0 }
    #expect(asked?.plans == ["events"])
    #expect(asked?.preRoll == .since(event.start - .seconds(10)))
    event.finish(at: bench.now)
    bench.engine.note(.detected(event))
    await bench.advance(.seconds(19))
    #expect(await bench.engine.runningArchives == ["archive-"])
    while await !bench.engine.runningArchives.isEmpty { await bench.advance(.seconds(1)) }
    await bench.log.wait(for: "media stop archive-")
  }
}
