import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import Signalling
import Testing

@testable import DeviceMedia

@Suite("What sessions see", .timeLimit(.minutes(1)))
struct SessionViewTests {
  private let yard = DeviceView.camera("yard")

  private func yardState(_ bench: MediaBench) -> FakePipeline.State {
    bench.cameras["yard"]?.state.withLock { $0 } ?? FakePipeline.State()
  }

  private func sources(_ sessionID: SessionID, _ bench: MediaBench) -> [Int]? {
    bench.network.state.withLock { $0.sources[sessionID] }
  }

  @Test func `a session that chooses another camera opens it, and closes the main one`() async throws {
    let bench = try await MediaBench(cameras: ["gate", "yard"])
    try await bench.answer()
    try await bench.media.show(yard, sessionID: "a")
    #expect(yardState(bench).running == [.video] && yardState(bench).keyFrameRequests == 1)
    #expect(bench.cameras["gate"]?.running == [] && bench.pipeline.running == [.audio])
    #expect(sources("a", bench) == [2])
    try await bench.media.show(.camera("gate"), sessionID: "a")
    #expect(yardState(bench).running == [] && bench.cameras["gate"]?.running == [.video])
    try await bench.media.show(.main, sessionID: "a")
    #expect(bench.cameras["gate"]?.running == [] && bench.pipeline.running == [.audio, .video])
    #expect(sources("a", bench) == [2, 1, 0])
    // The same again is no change.
    try await bench.media.show(.main, sessionID: "a")
    #expect(sources("a", bench) == [2, 1, 0])
    await bench.media.hangUp(sessionID: "a")
    #expect(bench.pipeline.running.isEmpty && !bench.bus.hasConsumers)
  }

  @Test func `a camera stays open from its own picture to that of all, and back`() async throws {
    let bench = try await MediaBench(cameras: ["gate", "yard"])
    try await bench.answer()
    for view in [yard, .mosaic, yard] { try await bench.media.show(view, sessionID: "a") }
    #expect(yardState(bench).running == [.video] && yardState(bench).openings == 1)
    #expect(bench.cameras["gate"]?.running == [])
  }

  @Test func `others see what they saw`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer("a")
    try await bench.answer("b")
    try await bench.media.show(yard, sessionID: "a")
    #expect(bench.pipeline.running == [.audio, .video] && yardState(bench).running == [.video])
    #expect(sources("b", bench) == nil)
    try await bench.media.show(yard, sessionID: "b")
    #expect(bench.pipeline.running == [.audio] && yardState(bench).openings == 1)
    await bench.media.hangUp(sessionID: "a")
    #expect(yardState(bench).running == [.video])
    await bench.media.hangUp(sessionID: "b")
    #expect(yardState(bench).running == [])
  }

  @Test func `recordings of the call have all cameras, whatever is seen`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer()
    let (id, _) = try await bench.record()
    try await bench.media.show(yard, sessionID: "a")
    #expect(bench.pipeline.running == [.audio, .video] && yardState(bench).openings == 1)
    try await bench.media.show(.main, sessionID: "a")
    #expect(yardState(bench).running == [.video])
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    #expect(yardState(bench).running == [] && bench.pipeline.running == [.audio, .video])
  }

  @Test func `frames are sent while somebody sees them`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    let bus = try #require(bench.buses["yard"])
    try await bench.answer()
    #expect(!bus.hasConsumers)
    try await bench.media.show(yard, sessionID: "a")
    let header = EncodedFrameHeader(
      kind: .video, timestamp: MonotonicInstant(nanoseconds: 1), duration: .zero, isKeyFrame: true, number: 0)
    bus.publish(header, payload: [UInt8](repeating: 1, count: 9).span.bytes)
    #expect(bench.network.furtherFrames[0].video.firstHeader == header)
    // The main camera's inbox has the sound, too.
    #expect(bench.bus.demand == .keyFrames)
    try await bench.media.show(.main, sessionID: "a")
    #expect(!bus.hasConsumers && bench.bus.demand == .everything)
  }

  @Test func `paths and losses concern the encoder of what is seen`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer("a")
    try await bench.answer("b")
    try await bench.media.show(yard, sessionID: "a")
    bench.network.emit(estimate: 300, "a")
    #expect(await eventually { yardState(bench).videoBitrates.count == 1 })
    #expect(yardState(bench).videoBitrates.allSatisfy { $0 < .kilobits(300) })
    #expect(bench.pipeline.state.withLock { $0.videoBitrates } == [])
    let requests = yardState(bench).keyFrameRequests
    bench.network.readings.update(bench.network.latest("a"), initial: .init()) { $0.wantsKeyFrame = true }
    #expect(await eventually { yardState(bench).keyFrameRequests == requests + 1 })
    #expect(bench.pipeline.state.withLock { $0.keyFrameRequests } == 0)
    #expect(await bench.media.telemetry().cameras?.first?.video.targetBitrate ?? 0 < 300_000)
    // What its path allows holds for whatever it sees next, and no longer for what it saw.
    try await bench.media.show(.main, sessionID: "a")
    #expect(yardState(bench).videoBitrates.last == .kilobits(500))
    #expect(bench.pipeline.state.withLock { $0.videoBitrates.last }.map { $0 < .kilobits(300) } == true)
    #expect(bench.network.state.withLock { $0.layers["a"]?.count } == 3)
  }

  @Test func `a camera that there is not, or that does not open, changes nothing`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer()
    let error = await #expect(throws: UnknownCamera.self) {
      try await bench.media.show(.camera("cellar"), sessionID: "a")
    }
    #expect(error?.description == "this device has no camera \"cellar\" beside the main one; it has yard")
    bench.cameras["yard"]?.state.withLock { $0.refusesStart = true }
    await #expect(throws: FakePipeline.Refusal.self) { try await bench.media.show(yard, sessionID: "a") }
    #expect(bench.pipeline.running == [.audio, .video] && sources("a", bench) == nil)
    #expect(bench.network.furtherFrames[0].isEmpty && bench.buses["yard"]?.hasConsumers == false)
  }

  @Test func `a rule's camera is shown from the start, and one that there is not ends the call`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    var request = PeerSessionRequest(sessionID: "a", offer: "offer", publish: [.audio, .video], mayTalk: false)
    request.view = yard
    _ = try await bench.media.begin(request)
    #expect(yardState(bench).running == [.video] && bench.pipeline.running == [.audio])
    #expect(bench.pipeline.state.withLock { $0.openings } == 1)
    (request.sessionID, request.view) = ("b", .camera("cellar"))
    await #expect(throws: UnknownCamera.self) { _ = try await bench.media.begin(request) }
    #expect(bench.network.state.withLock { $0.hungUp } == ["b"])
  }

  @Test func `pictures that are switched off and on again are of the camera that was chosen`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer()
    try await bench.media.show(yard, sessionID: "a")
    bench.network.state.withLock { $0.sends = [.audio] }
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "offer")
    #expect(yardState(bench).running == [] && bench.pipeline.running == [.audio])
    bench.network.state.withLock { $0.sends = [.audio, .video] }
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "offer")
    #expect(yardState(bench).running == [.video] && bench.pipeline.running == [.audio])
  }

  @Test func `what is chosen during the negotiation holds, and an unknown session is shown nothing`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    let gate = Gate()
    bench.network.gate.withLock { $0 = gate }
    async let answer = bench.answer()
    #expect(await eventually { bench.network.state.withLock { $0.latest["a"] != nil } })
    try await bench.media.show(yard, sessionID: "a")
    gate.open()
    _ = try await answer
    #expect(sources("a", bench)?.last == 1)
    #expect(yardState(bench).running == [.video] && bench.pipeline.running == [.audio])
    await #expect(throws: NetworkLoopError.self) { try await bench.media.show(yard, sessionID: "b") }
  }

  @Test func `what cannot be opened for a new offer leaves all as it was`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    bench.network.state.withLock { $0.sends = [.audio] }
    try await bench.answer()
    try await bench.media.show(yard, sessionID: "a")
    bench.cameras["yard"]?.state.withLock { $0.refusesStart = true }
    bench.network.state.withLock { $0.sends = [.audio, .video] }
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "offer")
    #expect(bench.pipeline.running == [.audio] && yardState(bench).running == [])
    bench.cameras["yard"]?.state.withLock { $0.refusesStart = false }
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "offer")
    #expect(bench.pipeline.running == [.audio] && yardState(bench).running == [.video])
  }

  @Test func `all in one picture has all cameras open, as long as somebody sees that`() async throws {
    let bench = try await MediaBench(cameras: ["gate", "yard"])
    try await bench.answer("a")
    try await bench.answer("b")
    try await bench.media.show(.mosaic, sessionID: "a")
    #expect(sources("a", bench) == [3] && bench.mosaic.running == [.video])
    #expect(bench.mosaic.state.withLock { $0.keyFrameRequests } == 1)
    #expect(bench.cameras.values.allSatisfy { $0.running == [.video] } && bench.pipeline.running == [.audio, .video])
    try await bench.media.show(.mosaic, sessionID: "b")
    try await bench.media.show(yard, sessionID: "a")
    #expect(bench.mosaic.state.withLock { ($0.running, $0.openings) } == ([.video], 1))
    await bench.media.hangUp(sessionID: "b")
    #expect(bench.mosaic.running == [] && bench.cameras["gate"]?.running == [])
    #expect(yardState(bench).running == [.video] && bench.pipeline.running == [.audio])
  }

  @Test func `its encoder follows the paths of those who see it`() async throws {
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer()
    bench.network.emit(estimate: 300, "a")
    #expect(await eventually { bench.pipeline.state.withLock { $0.videoBitrates.count == 1 } })
    try await bench.media.show(.mosaic, sessionID: "a")
    #expect(bench.mosaic.state.withLock { $0.videoBitrates.last }.map { $0 < .kilobits(300) } == true)
    #expect(yardState(bench).videoBitrates == [])
    await bench.media.setMuted(.camera, true)
    #expect(bench.mosaic.state.withLock { $0.muted } == [.video])
  }

  @Test func `one camera alone makes no mosaic, and one that does not open leaves what was seen`() async throws {
    let alone = try await MediaBench()
    try await alone.answer()
    await #expect(throws: UnknownCamera.self) { try await alone.media.show(.mosaic, sessionID: "a") }
    let bench = try await MediaBench(cameras: ["yard"])
    try await bench.answer()
    bench.mosaic.state.withLock { $0.refusesStart = true }
    await #expect(throws: FakePipeline.Refusal.self) { try await bench.media.show(.mosaic, sessionID: "a") }
    #expect(yardState(bench).running == [] && bench.pipeline.running == [.audio, .video])
    #expect(sources("a", bench) == nil)
  }
}
