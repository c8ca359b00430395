import Archive
import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import RealtimeRuntime
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Further cameras", .timeLimit(.minutes(1)))
struct FurtherCameraTests {
  private func running(_ bench: MediaBench) -> [String] {
    bench.cameras.filter { $0.value.running == [.video] }.keys.sorted()
  }

  private func camera(_ name: String, _ bench: MediaBench) async -> MediaPlaneStatus.Device? {
    await bench.media.status().devices.first { $0.camera == name }
  }

  @Test func `they are open while the device's pictures are recorded, and a call alone opens none`() async throws {
    let bench = try await MediaBench(cameras: ["yard", "gate"])
    try await bench.answer()
    #expect(running(bench) == [])
    let (id, recorder) = try await bench.record()
    #expect(running(bench) == ["gate", "yard"])
    #expect(recorder.streams.withLock { $0.map(\.description.streamID) } == ["device", "yard", "gate", "caller"])
    let yard = try #require(recorder.streams.withLock { $0.first { $0.description.camera == "yard" } })
    #expect(!yard.description.hasAudio && yard.description.hasVideo && yard.description.connectionData == "device")
    #expect(bench.cameras["yard"]?.keyFrameInterval == .seconds(4))
    await bench.media.stopArchive(archiveID: id, reason: .sessionEnded)
    #expect(running(bench) == [])
    #expect(bench.cameras["yard"]?.keyFrameInterval == nil)
  }

  @Test func `sound alone opens none`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    let (_, recorder) = try await bench.record(nil, hasVideo: false)
    #expect(running(bench) == [])
    #expect(recorder.streams.withLock { $0.count } == 1)
  }

  @Test func `two archives have them encoded once`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    let (first, _) = try await bench.record(nil)
    let (second, _) = try await bench.record(nil)
    #expect(bench.cameras["yard"]?.state.withLock { $0.openings } == 1)
    await bench.media.stopArchive(archiveID: first, reason: .userInitiated)
    #expect(running(bench) == ["yard"])
    await bench.media.stopArchive(archiveID: second, reason: .userInitiated)
    #expect(running(bench) == [])
  }

  @Test func `an archive does without a stream of theirs that is refused`() async throws {
    let bench = try await MediaBench(cameras: ["yard", "gate"])
    bench.disk.refusesStream.withLock { $0 = "yard" }
    let (id, recorder) = try await bench.record(nil)
    #expect(recorder.streams.withLock { $0.map(\.description.streamID) } == ["device", "gate"])
    let reason = "\(ArchiveError.duplicateStream("yard"))"
    let notice = DeviceNotice.cameraNotRecorded(camera: "yard", reason: reason)
    #expect(await bench.events.contains(.notice(notice)))
    #expect(bench.buses["gate"]?.hasConsumers == true && bench.buses["yard"]?.hasConsumers == false)
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    #expect(running(bench) == [] && bench.pipeline.running.isEmpty && !bench.bus.hasConsumers)
  }

  @Test func `one that cannot be started is missing alone, told once, and taken up later`() async throws {
    let bench = try await MediaBench(cameras: ["yard", "gate"], cameraProbes: ["yard": { nil }])
    bench.cameras["yard"]?.state.withLock { $0.refusesStart = true }
    let (first, recorder) = try await bench.record(nil)
    let (second, _) = try await bench.record(nil)
    #expect(running(bench) == ["gate"] && bench.pipeline.running == [.audio, .video])
    #expect(recorder.streams.withLock { $0.map(\.description.streamID) } == ["device", "yard", "gate"])
    let failure = DeviceNotice.deviceFailed(.camera, camera: "yard", reason: "\(FakePipeline.Refusal())")
    #expect(await bench.events.contains(.notice(failure)))
    await bench.media.stopArchive(archiveID: first, reason: .userInitiated)
    bench.cameras["yard"]?.state.withLock { $0.refusesStart = false }
    while running(bench) != ["gate", "yard"] {
      bench.clock.advance(by: .seconds(60))
      await Task.yield()
    }
    await bench.media.stopArchive(archiveID: second, reason: .userInitiated)
    #expect(running(bench) == [])
    #expect(bench.events.notices.count { $0 == failure } == 1)
  }

  @Test func `each has a pre-roll of its own`() async throws {
    let bench = try await MediaBench(preRoll: .seconds(5), cameras: ["yard"])
    #expect(running(bench) == ["yard"])
    let (_, recorder) = try await bench.record(nil)
    #expect(recorder.streams.withLock { $0.map(\.hasPreRoll) } == [true, true])
    await bench.media.shutDown()
    #expect(running(bench) == [])
  }

  @Test func `a time-lapse has a picture of each`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    var description = ArchiveDescription(sessionID: nil, callerID: "", callerTitle: "", hasAudio: false)
    (description.timeLapse, description.preRoll) = (.seconds(10), .none)
    _ = try await bench.media.startArchive(description)
    #expect(running(bench) == ["yard"])
    #expect(bench.cameras["yard"]?.keyFrameInterval == nil)
    #expect(bench.cameras["yard"]?.state.withLock { $0.keyFrameRequests } == 1)
  }

  @Test func `sources of events that come and go open and close what they look at alone`() async throws {
    let bench = try await MediaBench(watched: [.video], cameras: ["yard", "gate"], watchedCamera: "gate")
    let openings = bench.pipeline.state.withLock { $0.openings }
    var changes = DeviceMediaChanges()
    (changes.watched, changes.watchedCameras) = ([.video, .audio], ["yard"])
    await bench.media.apply(changes)
    #expect(running(bench) == ["yard"])
    #expect(bench.pipeline.running == [.audio, .video])
    try await bench.answer("a", publish: [.video])
    changes.watched = []
    await bench.media.apply(changes)
    #expect(bench.pipeline.running == [.video], "the call goes on")
    await bench.media.hangUp(sessionID: "a")
    #expect(bench.pipeline.running == [])
    changes.watched = [.video]
    await bench.media.apply(changes)
    #expect(bench.pipeline.state.withLock { $0.openings } > openings)
    await bench.media.shutDown()
    await bench.media.apply(changes)
    #expect(bench.pipeline.running == [], "nothing is opened after the end")
  }

  @Test func `one at which sources of events look is open, and no other`() async throws {
    let bench = try await MediaBench(cameras: ["yard", "gate"], watchedCamera: "gate")
    #expect(running(bench) == ["gate"])
    #expect(bench.pipeline.running.isEmpty)
  }

  @Test func `muting the camera mutes all`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    await bench.media.setMuted(.camera, true)
    #expect(bench.cameras["yard"]?.state.withLock { $0.muted } == [.video])
    #expect(await bench.media.status().devices.filter(\.isMuted).map(\.camera) == [nil, "yard"])
    await bench.media.setMuted(.camera, false)
    #expect(bench.cameras["yard"]?.state.withLock { $0.muted } == [])
  }

  @Test func `each has states and problems of its own`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    bench.pipeline.emit(.failed(.video, reason: "main is gone"))
    bench.cameras["yard"]?.emit(.failed(.video, reason: "yard is gone"))
    let failure = DeviceNotice.deviceFailed(.camera, camera: "yard", reason: "yard is gone")
    #expect(await bench.events.contains(.notice(failure)))
    #expect("\(failure)" == "camera yard: yard is gone")
    #expect(await eventually { await bench.media.status().problems.count == 2 })
    let problems = await bench.media.status().problems
    #expect(problems.map(\.camera) == [nil, "yard"] && problems.map(\.text) == ["main is gone", "yard is gone"])
    #expect(await camera("yard", bench)?.state == "stalled")
    bench.cameras["yard"]?.emit(.opened(.video, name: "/dev/yard", description: "back"))
    #expect(await bench.events.contains(.notice(.deviceOpened(.camera, camera: "yard", details: "back"))))
    #expect(await bench.media.status().problems.map { $0.until == nil } == [true, false])
    #expect(await camera("yard", bench)?.details == "back")
  }

  @Test func `what keeps an idle one from working is told, whatever holds others`() async throws {
    let gate = Gate()
    let hanging: @Sendable () async -> String? = {
      await gate.pass()
      return nil
    }
    let bench = try await MediaBench(
      cameras: ["hangs", "yard"], cameraProbes: ["hangs": hanging, "yard": { "no permission" }])
    defer { gate.open() }
    let failure = DeviceNotice.deviceFailed(.camera, camera: "yard", reason: "no permission")
    #expect(await bench.events.contains(.notice(failure)))
    #expect(await bench.media.status().problems.map(\.camera) == ["yard"])
  }

  @Test func `a single picture opens the one that is asked for`() async throws {
    let bench = try await MediaBench(cameras: ["yard", "gate"])
    let gate = Gate()
    let yard = Snapshots(bench.media, of: "yard", clock: bench.clock.mediaClock) { _ in
      await gate.pass()
      return [7]
    }
    let main = Snapshots(bench.media, clock: bench.clock.mediaClock) { _ in [1] }
    let snapshots = CameraSnapshots([nil: main, "yard": yard])
    let asking = Task { try await snapshots.take(of: "yard") }
    #expect(await eventually { running(bench) == ["yard"] })
    #expect(bench.pipeline.running.isEmpty)
    gate.open()
    while running(bench) == ["yard"] {
      bench.clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    #expect(try await asking.value == [7])
    let error = await #expect(throws: SnapshotError.self) { try await snapshots.take(of: "cellar") }
    #expect(error?.description == "this device has no further camera \"cellar\"; it has yard")
  }

  @Test func `a picture of the main camera leaves one that is asked for open`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    _ = try await bench.media.open("yard")
    _ = try await bench.media.open(nil)
    #expect(running(bench) == ["yard"])
    await bench.media.close(nil)
    #expect(running(bench) == ["yard"])
    await bench.media.close("yard")
    #expect(running(bench) == [])
  }

  @Test func `figures name them`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    #expect(await bench.media.telemetry().cameras?.map(\.name) == ["yard"])
    #expect(await bench.media.telemetry().cameras?.first?.video.targetBitrate == 500_000)
    #expect(try await MediaBench().media.telemetry().cameras == nil)
  }
}
