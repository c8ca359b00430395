import Foundation
import SystemSupport
import MediaCore
import RealtimeRuntime
import TestSupport
import Testing

@testable import Archive

/// Disks that hang.
@Suite(.timeLimit(.minutes(1))) struct DiskWaitsTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  @Test func aDiskThatHangsIsNamedWhileItDoes() throws {
    let waits = DiskWaits()
    let (first, second) = (waits.begin(now: start), waits.begin(now: start + .seconds(3)))
    #expect(waits.problem(of: "/srv", now: start + .seconds(5)) == nil)
    let problem = try #require(waits.problem(of: "/srv", now: start + .seconds(12)))
    #expect(problem.hasPrefix("/srv: the disk has taken nothing for 12 s; "))
    waits.end(first)
    #expect(waits.problem(of: "/srv", now: start + .seconds(12))?.contains("for 9 s") == true)
    waits.end(second)
    #expect(waits.problem(of: "/srv", now: start + .seconds(600)) == nil)
  }

  /// A recording whose first flush does not return.
  @Test func aRecordingThatWaitsIsSeen() async throws {
    let stage = try RecordingStage(isInMemory: true)
    let isHung = Mutex(true)
    var calls = DiskCalls()
    calls.queue = FlushQueue()
    calls.syncFolder = { descriptor in
      while isHung.withLock({ $0 }) { usleep(2_000) }
      return fsync(descriptor)
    }
    let configuration = ArchiveConfiguration(minimumFreeBytes: 0)
    let recorder = try ArchiveRecorder(
      RecordingStage.id, in: stage.store, details: ArchiveDetails(sessionID: ""), configuration: configuration,
      start: RecordingStage.start, createdAt: RecordingStage.createdAt, clock: WallClockReader(), calls: calls
    ) { _ in }
    let inbox = try stage.addStream("s", to: recorder, hasVideo: false)
    let header = EncodedFrameHeader(
      kind: .audio, timestamp: RecordingStage.start, duration: .milliseconds(20), isKeyFrame: true, number: 0)
    let payload = [UInt8](repeating: 0, count: 40)
    inbox.push(header, payload: payload.span.bytes)
    async let manifest = recorder.stop()
    try await eventually { configuration.waits.problem(of: "/srv", now: MonotonicClock.now() + .seconds(6)) != nil }
    isHung.withLock { $0 = false }
    _ = await manifest
    #expect(configuration.waits.problem(of: "/srv", now: MonotonicClock.now() + .seconds(6)) == nil)
  }
}
