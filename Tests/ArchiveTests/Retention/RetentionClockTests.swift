import Foundation
import SystemSupport
import MediaCore
import TestSupport
import Signalling
import Testing

@testable import Archive

/// Both clocks of a device, set by tests.
final class DeviceClocks: Sendable {
  private let reading: Mutex<SettledClock.Reading>

  /// - Parameter wallClock: milliseconds since 1970, a minute after boot.
  init(wallClock: Int64) {
    reading = Mutex(SettledClock.Reading(wallClock: wallClock, isSynchronized: true, sinceBoot: 60_000))
  }

  var now: SettledClock.Reading { reading.withLock { $0 } }

  func setSynchronized(_ isSynchronized: Bool) { reading.withLock { $0.isSynchronized = isSynchronized } }

  /// Seconds of the wall clock alone.
  func step(by seconds: Int64) { reading.withLock { $0.wallClock += seconds * 1_000 } }

  func pass(_ seconds: Int64) {
    reading.withLock { reading in
      reading.wallClock += seconds * 1_000
      reading.sinceBoot += seconds * 1_000
    }
  }

  /// - Parameter offSeconds: how long the device was off.
  func reboot(offSeconds: Int64) {
    reading.withLock { reading in
      reading.wallClock += offSeconds * 1_000
      reading.sinceBoot = 5_000
    }
  }

  func retention(path: String? = nil, boot: String = "b1") -> RetentionClock {
    RetentionClock(path: path, boot: boot) { self.now }
  }

  /// One that has held for long enough by now.
  static func settledClock(at wallClock: Int64, isSynchronized: Bool = true) -> RetentionClock {
    let clocks = DeviceClocks(wallClock: wallClock - 3_600_000)
    let clock = clocks.retention()
    _ = clock.now()
    clocks.pass(3_600)
    clocks.setSynchronized(isSynchronized)
    return clock
  }
}

@Suite struct RetentionClockTests {
  private static let day: Int64 = 86_400
  private let clocks = DeviceClocks(wallClock: 1_795_521_600_000)

  /// Follows the clock, minute by minute.
  private func follow(_ clock: RetentionClock, minutes: Int) -> Int64? {
    for _ in 0..<minutes {
      clocks.pass(60)
      _ = clock.now()
    }
    return clock.now()
  }

  @Test func aBootIsBelievedOnceItsClockHasHeld() {
    let clock = clocks.retention()
    #expect(clock.now() == nil)
    #expect(follow(clock, minutes: 59) == nil)
    #expect(follow(clock, minutes: 1) == clocks.now.wallClock)
  }

  @Test func aStepForwardCountsOnceItHasHeld() {
    let clock = clocks.retention()
    _ = clock.now()
    _ = follow(clock, minutes: 60)
    clocks.step(by: Self.day)
    #expect(clock.now() == clocks.now.wallClock - Self.day * 1_000)
    #expect(follow(clock, minutes: 59) == clocks.now.wallClock - Self.day * 1_000)
    #expect(follow(clock, minutes: 1) == clocks.now.wallClock)
  }

  @Test func aStepThatIsTakenBackNeverCounts() {
    let clock = clocks.retention()
    _ = clock.now()
    _ = follow(clock, minutes: 60)
    for _ in 0..<5 {
      clocks.step(by: Self.day)
      #expect(follow(clock, minutes: 40) == clocks.now.wallClock - Self.day * 1_000)
      clocks.step(by: -Self.day)
      #expect(follow(clock, minutes: 40) == clocks.now.wallClock)
    }
  }

  @Test func aStepBackCountsAtOnce() {
    let clock = clocks.retention()
    _ = clock.now()
    _ = follow(clock, minutes: 60)
    clocks.step(by: -Self.day)
    #expect(clock.now() == clocks.now.wallClock)
  }

  @Test func anUnsynchronisedClockSaysNothing() {
    let clock = clocks.retention()
    _ = clock.now()
    _ = follow(clock, minutes: 60)
    clocks.setSynchronized(false)
    #expect(clock.now() == nil)
    clocks.setSynchronized(true)
    #expect(clock.now() == clocks.now.wallClock)
  }

  @Test func aRestartOfTheDaemonBelievesNoStep() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/clock"
    let first = clocks.retention(path: path)
    _ = first.now()
    _ = follow(first, minutes: 60)
    first.save()
    clocks.step(by: Self.day)
    let second = clocks.retention(path: path)
    #expect(second.now() == clocks.now.wallClock - Self.day * 1_000)
    #expect(follow(second, minutes: 60) == clocks.now.wallClock)
  }

  /// Else a device that never runs for an hour would keep everything.
  @Test func shortBootsAddUpAsLongAsTheClockGoesOn() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/clock"
    for boot in 0..<3 {
      // As the kernel begins each boot.
      clocks.setSynchronized(false)
      let clock = clocks.retention(path: path, boot: "b\(boot)")
      #expect(clock.now() == nil)
      clocks.setSynchronized(true)
      #expect(clock.now() == nil)
      _ = follow(clock, minutes: 25)
      clock.save()
      #expect((clock.now() != nil) == (boot == 2))
      clocks.reboot(offSeconds: 3_600)
    }
  }

  @Test func aBootWhoseClockIsBehindBeginsAgain() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/clock"
    let wrong = clocks.retention(path: path, boot: "b1")
    clocks.step(by: Self.day)
    _ = follow(wrong, minutes: 50)
    wrong.save()
    clocks.step(by: -Self.day)
    clocks.reboot(offSeconds: 60)
    let clock = clocks.retention(path: path, boot: "b2")
    #expect(follow(clock, minutes: 50) == nil)
    #expect(follow(clock, minutes: 15) == clocks.now.wallClock)
  }

  @Test(arguments: ["", "b1", "b1 x - - -", "b1 1 2 3 4 5", "b1 9223372036854775807 -9223372036854775808 1 -1"])
  func whateverStandsInTheFileHarmsNothing(_ text: String) throws {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(filePath: folder.path + "/clock"))
    for boot in ["b1", "b2"] {
      let clock = clocks.retention(path: folder.path + "/clock", boot: boot)
      _ = clock.now()
      #expect(follow(clock, minutes: 61) ?? 0 <= clocks.now.wallClock)
    }
  }
}

@Suite struct ClockStepRetentionTests {
  private static let start = RecordingStage.createdAt + 86_400_000
  private let clocks = DeviceClocks(wallClock: Self.start)

  /// A week is the limit; of two archives one ended six days ago, the other one just now.
  private func job(_ stage: RecordingStage) -> RetentionJob {
    var limits = ArchiveLimits(minimumFree: 0, margin: 0)
    limits.maximumAge = .seconds(7 * 86_400)
    return RetentionJob(
      store: stage.store, limits: limits, surroundings: .init(clocks.retention(), disk: { nil }))
  }

  private func settle(_ job: RetentionJob) {
    for _ in 0..<61 {
      #expect(job.keep() == [])
      clocks.pass(60)
    }
  }

  @Test func aStepDeletesNothingUntilItHasHeld() throws {
    let stage = try RecordingStage()
    try stage.makeArchive("week", hours: 24 - 6 * 24)
    let job = job(stage)
    settle(job)
    clocks.step(by: 3 * 86_400)
    for _ in 0..<59 {
      clocks.pass(60)
      #expect(job.keep() == [])
    }
    clocks.step(by: -3 * 86_400)
    clocks.pass(60)
    #expect(job.keep() == [])
    clocks.step(by: 3 * 86_400)
    for _ in 0..<60 {
      #expect(job.keep() == [])
      clocks.pass(60)
    }
    #expect(job.keep().map(\.id) == ["week"])
  }

  /// However long the wrong clock holds.
  @Test func whatEndedInThisBootIsAsOldAsTheMonotonicClockSays() async throws {
    let stage = try RecordingStage()
    let first = job(stage)
    settle(first)
    let recorder = try stage.startRecorder(clock: WallClockReader { (RecordingStage.createdAt, true) })
    #expect(first.keep() == [])
    try stage.addStream("device", to: recorder).pushSamples()
    _ = await recorder.stop()
    #expect(first.keep() == [])
    clocks.step(by: 30 * 86_400)
    settle(first)
    // A restart of the daemon knows it, too.
    let second = job(stage)
    settle(second)
    #expect(try stage.store.list().count == 1)
    clocks.pass(7 * 86_400)
    #expect(second.keep().count == 1)
  }
}
