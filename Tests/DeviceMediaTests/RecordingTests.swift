import Archive
import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Recordings", .timeLimit(.minutes(1)))
struct RecordingTests {
  @Test func `a session's archive holds both parties and keeps devices open after it`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    let (id, recorder) = try await bench.record()
    #expect(recorder.streams.withLock { $0.map(\.description.streamID) } == ["device", "caller"])
    #expect(bench.network.recorderCount("a") == 1)
    #expect(bench.disk.wasLimited.withLock { $0 } == [true])
    await bench.media.hangUp(sessionID: "a")
    #expect(bench.pipeline.running == [.audio, .video])
    #expect(bench.bus.hasConsumers)
    await bench.media.stopArchive(archiveID: id, reason: .sessionEnded)
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.network.recorderCount("a") == 0)
    #expect(recorder.stopReasons.withLock { $0 } == ["session ended"])
    #expect(bench.disk.retention.log.withLock { $0 } == ["started", "ended"])
  }

  @Test func `an archive that ends leaves the other one of its session its frames`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    let (first, _) = try await bench.record()
    let (second, _) = try await bench.record()
    #expect(bench.network.recorderCount("a") == 2)
    await bench.media.stopArchive(archiveID: second, reason: .userInitiated)
    #expect(bench.network.recorderCount("a") == 1)
    await bench.media.stopArchive(archiveID: first, reason: .userInitiated)
    #expect(bench.network.recorderCount("a") == 0)
  }

  @Test func `without a session the device records itself`() async throws {
    let bench = try await MediaBench()
    let (_, recorder) = try await bench.record(nil, hasVideo: false)
    #expect(bench.pipeline.running == [.audio])
    #expect(recorder.streams.withLock { $0.map(\.description.streamID) } == ["device"])
    #expect(bench.disk.wasLimited.withLock { $0 } == [false])
    #expect(await bench.media.status().archives.map(\.startedAt) == [bench.clock.now])
    await bench.media.notePosition(PositionFix(latitude: 1, longitude: 2))
    #expect(recorder.positions.withLock { $0 } == [bench.clock.now])
  }

  @Test func `a time-lapse wants single pictures, asked for one by one, and no sound`() async throws {
    let bench = try await MediaBench()
    var description = ArchiveDescription(sessionID: nil, callerID: "", callerTitle: "", hasAudio: false)
    (description.timeLapse, description.preRoll) = (.seconds(10), .none)
    let id = try await bench.media.startArchive(description)
    #expect(bench.pipeline.running == [.video])
    #expect(bench.bus.demand == .keyFrames)
    #expect(bench.pipeline.keyFrameInterval == nil)
    #expect(bench.pipeline.state.withLock { $0.keyFrameRequests } == 1)
    let (other, _) = try await bench.record(nil)
    #expect(bench.bus.demand == .everything)
    #expect(bench.pipeline.keyFrameInterval == .seconds(4))
    await bench.media.stopArchive(archiveID: other, reason: .userInitiated)
    #expect(bench.pipeline.keyFrameInterval == nil)
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    #expect(bench.bus.demand == .nothing)
    #expect(bench.pipeline.running.isEmpty)
  }

  @Test func `an archive that fails by itself lets go of its streams and is told once`() async throws {
    let bench = try await MediaBench()
    let (id, recorder) = try await bench.record(nil)
    recorder.fail()
    recorder.fail()
    recorder.end(reason: "late")
    recorder.fallBehind()
    #expect(await bench.events.contains(.notice(.diskTooSlow(archiveID: id, droppedFrames: 3))))
    let steps = bench.events.steps
    #expect(steps.count == 1)
    guard case .archiveStopped(id, nil, .failed, _) = steps.first else {
      Issue.record("told: \(steps)")
      return
    }
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.pipeline.keyFrameInterval == nil)
  }

  @Test func `an archive that a limit ends says why before it is gone`() async throws {
    let bench = try await MediaBench()
    let (id, recorder) = try await bench.record(nil)
    recorder.end(reason: "too little space")
    let stopped = MediaPlaneEvent.archiveStopped(
      archiveID: id, sessionID: nil, status: .stopped, reason: "too little space")
    #expect(await bench.events.contains(stopped))
    #expect(
      bench.events.all == [
        .notice(.archiveEnded(archiveID: id, reason: "too little space", directory: "/archives")), stopped,
      ])
  }

  @Test func `an archive that was stopped is not told`() async throws {
    let bench = try await MediaBench()
    let (id, recorder) = try await bench.record(nil)
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    recorder.end(reason: "user initiated")
    recorder.fallBehind()
    #expect(await bench.events.contains(.notice(.diskTooSlow(archiveID: id, droppedFrames: 3))))
    #expect(bench.events.steps.isEmpty)
  }

  @Test func `a disk that refuses leaves nothing`() async throws {
    let bench = try await MediaBench()
    bench.disk.refuses.withLock { $0 = true }
    await #expect(throws: FakeDisk.Refusal.self) { try await bench.record(nil) }
    #expect(bench.pipeline.running.isEmpty)
    #expect(bench.disk.retention.log.withLock { $0 } == ["failed"])
  }

  @Test(arguments: ["device", "caller"])
  func `a stream that is refused leaves nothing`(_ streamID: String) async throws {
    let bench = try await MediaBench()
    try await bench.answer("a", publish: [])
    bench.disk.refusesStream.withLock { $0 = streamID }
    bench.network.state.withLock { $0.sends = [] }
    await #expect(throws: (any Error).self) { try await bench.record() }
    #expect(bench.pipeline.running.isEmpty)
    #expect(bench.pipeline.keyFrameInterval == nil)
    #expect(bench.network.state.withLock { $0.recorders.isEmpty })
    #expect(bench.disk.recorders.withLock { $0.last?.stopReasons.withLock { $0 } } == ["error"])
    await bench.media.hangUp(sessionID: "a")
    #expect(!bench.bus.hasConsumers)
  }

  @Test func `shutting down while a disk takes its time refuses the archive`() async throws {
    let bench = try await MediaBench()
    let gate = Gate()
    bench.disk.gate.withLock { $0 = gate }
    let starting = Task { try await bench.record(nil) }
    #expect(await eventually { gate.visitCount == 1 })
    await bench.media.shutDown()
    gate.open()
    await #expect(throws: CancellationError.self) { _ = try await starting.value.id }
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.disk.recorders.withLock { $0.map { $0.stopReasons.withLock { $0 } } } == [["error"]])
  }

  @Test func `stopping waits for a second at most`() async throws {
    let bench = try await MediaBench()
    let disk = Gate()
    bench.disk.stopGate.withLock { $0 = disk }
    let (id, _) = try await bench.record(nil)
    let stopping = Task { await bench.media.stopArchive(archiveID: id, reason: .userInitiated) }
    #expect(await eventually { disk.visitCount == 1 && bench.clock.sleeperCount == 1 })
    bench.clock.advance(by: .milliseconds(999))
    #expect(bench.clock.sleeperCount == 1)
    bench.clock.advance(by: .milliseconds(1))
    await stopping.value
    disk.open()
  }

  @Test func `shutting down waits for slow disks, but not for ever`() async throws {
    let bench = try await MediaBench()
    let disk = Gate()
    bench.disk.stopGate.withLock { $0 = disk }
    try await bench.record(nil)
    let stopping = Task { await bench.media.shutDown() }
    #expect(await eventually { disk.visitCount == 1 && bench.clock.sleeperCount == 1 })
    bench.clock.advance(by: .seconds(19))
    #expect(!bench.network.state.withLock { $0.isStopped })
    bench.clock.advance(by: .seconds(1))
    await stopping.value
    #expect(bench.network.state.withLock { $0.isStopped })
    disk.open()
  }

  @Test func `key frames are bound only while something is recorded`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    #expect(bench.pipeline.keyFrameInterval == nil)
    let first = try await bench.record()
    let second = try await bench.record(nil)
    #expect(bench.pipeline.keyFrameInterval == .seconds(4))
    await bench.media.stopArchive(archiveID: first.id, reason: .userInitiated)
    #expect(bench.pipeline.keyFrameInterval == .seconds(4))
    await bench.media.stopArchive(archiveID: second.id, reason: .userInitiated)
    #expect(bench.pipeline.keyFrameInterval == nil)
  }

  private func keepPreRoll(_ span: TimeSpan, _ bench: MediaBench) async {
    var changes = DeviceMediaChanges()
    changes.keptPreRoll = span
    await bench.media.apply(changes)
  }

  @Test func `a pre-roll may begin, become longer and end while all goes on`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a", publish: [.audio])
    await keepPreRoll(.seconds(10), bench)
    #expect(bench.pipeline.running == [.audio, .video])
    #expect(bench.pipeline.keyFrameInterval == .seconds(4))
    let openings = bench.pipeline.state.withLock { $0.openings }
    var description = ArchiveDescription(sessionID: nil, callerID: "", callerTitle: "")
    description.preRoll = .since(bench.clock.now)
    let id = try await bench.media.startArchive(description)
    #expect(bench.disk.recorders.withLock { $0.last?.streams.withLock { $0.map(\.hasPreRoll) } } == [true])
    await keepPreRoll(.seconds(30), bench)
    #expect(bench.pipeline.state.withLock { $0.openings } == openings)
    await keepPreRoll(.zero, bench)
    #expect(bench.pipeline.running == [.audio, .video], "the archive goes on")
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    #expect(bench.pipeline.running == [.audio], "the call goes on")
    #expect(bench.pipeline.keyFrameInterval == nil)
  }

  @Test func `a pre-roll of all archives stays when no plan wants one`() async throws {
    let bench = try await MediaBench(preRoll: .seconds(5))
    await keepPreRoll(.seconds(20), bench)
    await keepPreRoll(.zero, bench)
    #expect(bench.pipeline.running == [.audio, .video])
    bench.pipeline.state.withLock { $0.refusesStart = true }
    await keepPreRoll(.seconds(20), bench)
    #expect(bench.pipeline.running == [.audio, .video], "nothing is opened anew")
  }

  @Test func `a pre-roll that cannot begin leaves nothing open`() async throws {
    let bench = try await MediaBench()
    bench.pipeline.state.withLock { $0.refusesStart = true }
    await keepPreRoll(.seconds(10), bench)
    #expect(!bench.bus.hasConsumers)
    bench.pipeline.state.withLock { $0.refusesStart = false }
    await keepPreRoll(.seconds(10), bench)
    #expect(bench.pipeline.running == [.audio, .video])
  }

  @Test func `plans are kept for as long as they say now`() async throws {
    let bench = try await MediaBench()
    var changes = DeviceMediaChanges()
    changes.plans = ["night": PlanLimits(), "day": PlanLimits()]
    await bench.media.apply(changes)
    #expect(bench.disk.retention.log.withLock { $0 } == ["plans [\"day\", \"night\"]"])
  }

  @Test func `a pre-roll keeps devices open and begins recordings`() async throws {
    let bench = try await MediaBench(preRoll: .seconds(10))
    #expect(bench.pipeline.running == [.audio, .video])
    #expect(bench.pipeline.keyFrameInterval == .seconds(4))
    try await bench.answer()
    await bench.media.hangUp(sessionID: "a")
    let (id, recorder) = try await bench.record(nil)
    #expect(recorder.streams.withLock { $0.map(\.hasPreRoll) } == [true])
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    #expect(bench.pipeline.running == [.audio, .video])
    #expect(bench.bus.hasConsumers)
    #expect(bench.pipeline.keyFrameInterval == .seconds(4))
    await bench.media.shutDown()
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.pipeline.keyFrameInterval == nil)
  }
}
