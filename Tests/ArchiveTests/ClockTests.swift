import Foundation
import MediaCore
import TestSupport
import RealtimeRuntime
import Signalling
import SystemSupport
import Testing

@testable import Archive

/// A board without a battery boots in 1970 and learns the time while it records.
@Suite(.timeLimit(.minutes(3))) struct ClockTests {
  private final class Clock: Sendable {
    let reading = Mutex<(milliseconds: Int64, isSynchronized: Bool)>((5_000, false))
    /// An hour before the recording.
    let slept = Mutex<Int64>(3_600_000)
    var reader: WallClockReader {
      WallClockReader(read: { self.reading.withLock { $0 } }, slept: { self.slept.withLock { $0 } })
    }

    func running(isSynchronized: Bool) -> RunningManifest {
      let manifest = ArchiveManifest(
        id: RecordingStage.id, details: ArchiveDetails(sessionID: ""), createdAt: RecordingStage.createdAt,
        clockSynchronized: isSynchronized)
      return RunningManifest(manifest: manifest, start: RecordingStage.start, clock: reader)
    }
  }

  @Test func startIsCorrectedWhenTheClockIsSet() async throws {
    let stage = try RecordingStage()
    let clock = Clock()
    let start = MonotonicClock.now()
    let recorder = try stage.startRecorder(start: start, createdAt: nil, clock: clock.reader)
    let inbox = try stage.addStream("publisher", to: recorder)
    let audio = try SampleMedia.audio()
    for number in 0..<50 { inbox.push(.audio, audio[number], number: number, start: start) }
    try await eventually { recorder.statistics.byteCount != 0 }
    #expect(try !stage.store.manifest(RecordingStage.id).clockSynchronized)
    clock.reading.withLock { $0 = (RecordingStage.createdAt, true) }
    let jump = MonotonicClock.now()
    var number = 50
    while try !stage.store.manifest(RecordingStage.id).clockSynchronized {
      inbox.push(.audio, audio[number % 600], number: number, start: start + .seconds(Int64(number / 600) * 12))
      number += 1
      try await Task.sleep(for: .milliseconds(20))
    }
    let manifest = await recorder.stop()
    let elapsed = (jump - start).milliseconds
    #expect(abs(manifest.createdAt - (RecordingStage.createdAt - elapsed)) < 5_000)
    #expect(manifest.clockSynchronized)
    #expect(manifest.files[0].startTimeOffset == 0)
    // The folder keeps its place.
    #expect(try stage.store.path(RecordingStage.id).hasSuffix("/archives/1970/01/01/\(RecordingStage.id)"))
    #expect(try stage.store.verify(RecordingStage.id) == [])
  }

  @Test func clockThatJumpsWithoutTrustChangesNothing() async throws {
    let stage = try RecordingStage()
    let clock = Clock()
    let recorder = try stage.startRecorder(createdAt: nil, clock: clock.reader)
    try stage.addStream("publisher", to: recorder).pushSamples()
    clock.reading.withLock { $0.milliseconds = RecordingStage.createdAt }
    let manifest = await recorder.stop()
    #expect(manifest.createdAt == 5_000)
    #expect(!manifest.clockSynchronized)
  }

  /// The media timeline stands still while the machine sleeps, and the wall clock goes on.
  @Test func datesBehindASleepAreThoseOfTheWallClock() {
    let clock = Clock()
    clock.reading.withLock { $0 = (RecordingStage.createdAt, true) }
    var running = clock.running(isSynchronized: true)
    let before = running.timelineDate
    var isNew = running.correctClock(now: RecordingStage.start + .seconds(10))
    #expect(!isNew)
    clock.slept.withLock { $0 += 3_600_000 }
    isNew = running.correctClock(now: RecordingStage.start + .seconds(11))
    #expect(isNew)
    #expect(running.timelineDate == before.map { $0 + 3_600_000_000_000 })
    #expect(
      running.wallTime(at: RecordingStage.start + .seconds(12)) == RecordingStage.createdAt / 1_000 + 3_600 + 12)
    #expect(running.manifest.createdAt == RecordingStage.createdAt)
    isNew = running.correctClock(now: RecordingStage.start + .seconds(13))
    #expect(!isNew)
  }

  @Test func startIsCorrectedByTheSleepBeforeTheClockWasSet() {
    let clock = Clock()
    var running = clock.running(isSynchronized: false)
    clock.slept.withLock { $0 += 60_000 }
    var isNew = running.correctClock(now: RecordingStage.start + .seconds(5))
    #expect(isNew)
    #expect(running.timelineDate == nil)
    clock.reading.withLock { $0 = (RecordingStage.createdAt, true) }
    isNew = running.correctClock(now: RecordingStage.start + .seconds(20))
    #expect(isNew)
    #expect(running.manifest.createdAt == RecordingStage.createdAt - 80_000)
    #expect(running.wallTime(at: RecordingStage.start + .seconds(20)) == RecordingStage.createdAt / 1_000)
  }
}
