import SystemSupport
import MediaCore
import MediaPlaneAPI
import Signalling
import TestSupport
import Testing

@testable import CallEngine

/// Archives that plans share, and those of time-lapses.
@Suite(.timeLimit(.minutes(1))) struct PlanRecordingsTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  private static func timeLapse(_ name: String) -> RecordingPlan {
    var plan = RecordingPlan(name: name, occasion: .always)
    plan.timeLapse = .seconds(10)
    return plan
  }

  private static let sky = PlannedArchive([timeLapse("sky")])
  private static let always = PlannedArchive([.always])

  private func recordings(_ plans: RecordingPlan...) -> PlanRecordings {
    var recordings = PlanRecordings()
    recordings.setPlans(plans)
    return recordings
  }

  @Test func aTimeLapseHasAnArchiveOfItsOwnThatNoOtherPlanCuts() {
    var recordings = recordings(.always, Self.timeLapse("sky"))
    #expect(recordings.nextStep(wanted: ["sky"], now: start) == .start(Self.sky, previous: nil))
    recordings.started("s", for: Self.sky, now: start)
    #expect(recordings["sky"].text(of: "sky") == "recording")
    let both = ["always", "sky"]
    #expect(recordings.nextStep(wanted: both, now: start) == .start(Self.always, previous: nil))
    recordings.started("a", for: Self.always, now: start)
    #expect(recordings.nextStep(wanted: both, now: start) == nil)
    #expect(recordings.nextDeadline(wanted: both) == start + .seconds(3_600))
    #expect(recordings.nextDeadline(wanted: ["sky"]) == start + .seconds(86_400))
    #expect(recordings.nextStep(wanted: ["sky"], now: start) == .stop(archiveID: "a", isFollowed: false))
    #expect(recordings.nextStep(wanted: [], now: start) == .stop(archiveID: "s", isFollowed: false))
  }

  @Test func whatFailsForOneIsTriedAgainForThatOne() {
    var recordings = recordings(.always, Self.timeLapse("sky"))
    let both = ["always", "sky"]
    #expect(recordings.nextStep(wanted: both, now: start) == .start(Self.always, previous: nil))
    #expect(recordings.nextStep(wanted: both, now: start) == .start(Self.sky, previous: nil))
    let isNew = recordings.failed("disk full", for: Self.sky, now: start)
    #expect(isNew)
    recordings.started("a", for: Self.always, now: start)
    #expect(recordings.problem(of: ["sky"]) == "disk full")
    #expect(recordings.problem(of: ["always"]) == nil)
    #expect(recordings.nextDeadline(wanted: both) == start + .seconds(10))
  }

  @Test func whatEndedIsToldByItsPlans() {
    var recordings = recordings(.always, Self.timeLapse("sky"))
    _ = recordings.nextStep(wanted: ["sky"], now: start)
    recordings.started("s", for: Self.sky, now: start)
    #expect(recordings.ended("x", manual: true, now: start) == [])
    #expect(recordings.ended("s", manual: true, now: start) == ["sky"])
  }

  @Test func aPlanThatIsGoneEndsItsArchive() {
    var recordings = recordings(Self.timeLapse("sky"))
    _ = recordings.nextStep(wanted: ["sky"], now: start)
    recordings.started("s", for: Self.sky, now: start)
    recordings.setPlans([])
    #expect(recordings.nextStep(wanted: [], now: start) == .stop(archiveID: "s", isFollowed: false))
  }

  @Test func aTimeLapseThatBecomesAnotherPlanHasTheSharedArchive() {
    var recordings = recordings(.always, Self.timeLapse("sky"))
    _ = recordings.nextStep(wanted: ["sky"], now: start)
    let plan = RecordingPlan(name: "sky", occasion: .always)
    recordings.setPlans([plan])
    #expect(recordings.nextStep(wanted: ["sky"], now: start) == .start(PlannedArchive([plan]), previous: nil))
    // The answer to what was asked for before comes late.
    recordings.started("s", for: Self.sky, now: start)
    recordings.started("a", for: PlannedArchive([plan]), now: start)
    #expect(recordings["sky"].text(of: "sky") == "recording")
    #expect(recordings.nextStep(wanted: ["sky"], now: start) == .stop(archiveID: "s", isFollowed: false))
    #expect(recordings.nextStep(wanted: ["sky"], now: start) == nil)
    recordings.setPlans([plan])
    #expect(recordings.ended("s", manual: false, now: start) == [], "nothing is left of it")
  }

  @Test func aTimeLapseWithAnotherIntervalHasTheNextArchive() {
    var recordings = recordings(Self.timeLapse("sky"))
    _ = recordings.nextStep(wanted: ["sky"], now: start)
    recordings.started("s", for: Self.sky, now: start)
    var slower = Self.timeLapse("sky")
    slower.timeLapse = .seconds(60)
    recordings.setPlans([slower])
    #expect(recordings.nextStep(wanted: ["sky"], now: start) == .start(PlannedArchive([slower]), previous: ["sky"]))
  }

  @Test func onlyWhatAPlanRecordsByCutsItsArchive() async throws {
    let bench = try EngineBench()
    var settings = await bench.engine.settings
    bench.media.numbersArchives.withLock { $0 = true }
    settings.plans = [.always, RecordingPlan(name: "day", occasion: .always)]
    await bench.engine.apply(settings)
    try await eventually { await !bench.engine.runningArchives.isEmpty }
    settings.plans = settings.plans.reversed()
    await bench.engine.apply(settings)
    await bench.advance(.seconds(4))
    let first = await bench.engine.runningArchives
    #expect(first.count == 1)
    settings.plans[0].segment = .seconds(60)
    await bench.engine.apply(settings)
    try await eventually { await bench.engine.runningArchives != first }
    #expect(bench.media.lastArchive.withLock { $0?.segment } == .seconds(60))
    #expect(bench.media.lastArchive.withLock { $0?.preRoll } == PreRollExtent.none)
    await bench.advance(.seconds(3))
    #expect(await bench.engine.runningArchives.count == 1)
    settings.plans = []
    await bench.engine.apply(settings)
    try await eventually { await bench.engine.runningArchives.isEmpty }
    #expect(await bench.engine.status().plans.isEmpty)
  }

  @Test func theEngineAsksForPicturesWithoutSoundAndPast() async throws {
    let bench = try EngineBench()
    var settings = await bench.engine.settings
    settings.plans = [Self.timeLapse("sky")]
    await bench.engine.apply(settings)
    await bench.log.wait(for: "media archive   -")
    let asked = bench.media.lastArchive.withLock { $0 }
    #expect(asked?.timeLapse == .seconds(10))
    #expect(asked?.hasAudio == false)
    #expect(asked?.preRoll == PreRollExtent.none)
    #expect(asked?.plans == ["sky"])
    #expect(await bench.engine.status().plans.map(\.text) == ["recording"])
  }
}
