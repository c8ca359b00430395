import MediaCore
import RealtimeRuntime
import Testing
import MediaCodecs

@testable import MediaPipeline

/// A pipeline with fake cameras, in real time.
private final class Rig {
  let cameras: FakeCameras
  let pipeline: MediaPipeline
  let reader: InboxReader
  private var decoder: VP8Decoder
  private var decoded = 0
  private(set) var lumas: [UInt8] = []

  init(_ cameras: [String: FakeCameras.Camera], order: [String]) throws {
    let fakes = FakeCameras(cameras)
    let bus = FrameBus()
    self.cameras = fakes
    reader = try InboxReader(on: bus)
    pipeline = MediaPipeline(
      configuration: MediaPipelineConfiguration(
        cameras: order.map { .camera(path: $0) }, microphone: .none, width: 320, height: 180,
        videoBitrate: .kilobits(300)),
      bus: bus, openSource: { request throws(SourceFailure) in try fakes.open(request) })
    decoder = try VP8Decoder()
    try pipeline.start([.video])
  }

  /// Receives until a picture of this luma was decoded.
  func receive(luma: UInt8) throws -> Bool {
    try receive { ($0.lumas.last).map { abs(Int($0) - Int(luma)) < 6 } ?? false }
  }

  func receive(until isDone: (Rig) -> Bool) throws -> Bool {
    let end = MonotonicClock.now() + .seconds(20)
    while MonotonicClock.now() < end {
      let count = reader.video.count
      _ = reader.receive { $0.video.count > count }
      try decodeNew()
      if isDone(self) { return true }
    }
    return false
  }

  private func decodeNew() throws {
    while decoded < reader.video.count {
      let frame = reader.video[decoded]
      try decoder.decode(frame.payload.span.bytes) { lumas.append($0.luma(x: 3, y: 3)) }
      decoded += 1
    }
  }

  /// Stops; frames are numbered and stamped without a gap in the count, and every size begins with a key frame.
  func finish() throws {
    pipeline.stop([.video])
    #expect(pipeline.waitUntilIdle(timeout: .seconds(5)))
    let headers = reader.video.map(\.header)
    #expect(headers.map(\.number) == Array(0..<UInt32(headers.count)))
    for (one, next) in zip(headers, headers.dropFirst()) {
      #expect(one.timestamp < next.timestamp)
      if one.width != next.width || one.height != next.height { #expect(next.isKeyFrame) }
    }
    #expect(headers.first?.isKeyFrame == true)
  }
}

/// The card's ground.
private let cardLuma: UInt8 = 40

@Suite(.serialized) struct CameraFaultTests {
  private func oneCamera(_ behaviour: FakeCameras.Behaviour = .delivers) throws -> Rig {
    try Rig(["/a": FakeCameras.Camera(luma: 200, behaviour: behaviour)], order: ["/a"])
  }

  @Test func showsTheCardWithinASecondAndIsBackWhenTheCameraIs() throws {
    let rig = try oneCamera()
    #expect(try rig.receive(luma: 200))
    for fault in [FakeCameras.Behaviour.fails, .silent] {
      rig.cameras["/a"] = fault
      let last = MonotonicClock.now()
      #expect(try rig.receive(luma: cardLuma))
      #expect((MonotonicClock.now() - last).milliseconds < 1_500)
      _ = try rig.receive { $0.reader.video.suffix(3).allSatisfy { $0.header.duration == .seconds(1) } }
      rig.cameras["/a"] = .delivers
      let back = MonotonicClock.now()
      #expect(try rig.receive(luma: 200))
      #expect((MonotonicClock.now() - back).milliseconds < 3_000)
    }
    try rig.finish()
    #expect(rig.cameras.openCount == 0)
    #expect(rig.pipeline.statistics.cameraFailures >= 2)
  }

  @Test func replacesAThreadThatHangsWhileStreaming() throws {
    let rig = try oneCamera()
    #expect(try rig.receive(luma: 200))
    rig.cameras["/a"] = .hangs
    #expect(try rig.receive(luma: cardLuma))
    // The camera answers again, but not the thread that it holds.
    rig.cameras["/a"] = .delivers
    #expect(try rig.receive(luma: 200))
    #expect(rig.pipeline.statistics.video.abandonedThreads == 1)
    #expect(rig.cameras.openCount == 2)
    rig.cameras.release()
    #expect(try rig.receive { $0.pipeline.statistics.video.abandonedThreads == 0 })
    #expect(rig.cameras.openCount == 1)
    try rig.finish()
    #expect(rig.cameras.openCount == 0)
  }

  @Test func stopsThoughADriverHangs() throws {
    let rig = try oneCamera(.hangs)
    #expect(try rig.receive(luma: cardLuma))
    try rig.finish()
    #expect(rig.pipeline.statistics.video.abandonedThreads == 1)
    rig.cameras["/a"] = .delivers
    try rig.pipeline.start([.video])
    #expect(try rig.receive(luma: 200))
    try rig.finish()
    rig.cameras.release()
    #expect(rig.cameras.openCount == 0)
    #expect(rig.pipeline.statistics.video.abandonedThreads == 0)
  }

  @Test func swapsToACameraOfAnotherSizeAndBack() throws {
    let rig = try Rig(
      ["/a": FakeCameras.Camera(luma: 200), "/b": FakeCameras.Camera(luma: 120, width: 640, height: 360)],
      order: ["/a", "/b"])
    #expect(try rig.receive(luma: 200))
    try rig.pipeline.swapCamera()
    #expect(try rig.receive(luma: 120))
    #expect(rig.reader.video.last?.header.width == 640)
    #expect(rig.pipeline.statistics.video.source == "/b")
    try rig.pipeline.swapCamera()
    #expect(try rig.receive(luma: 200))
    #expect(!rig.lumas.contains(cardLuma))
    try rig.finish()
    #expect(rig.cameras.openCount == 0)
    // The choice stays.
    try rig.pipeline.swapCamera()
    try rig.pipeline.start([.video])
    #expect(try rig.receive(luma: 120))
    try rig.finish()
  }

  @Test func followsACameraWhoseFramesHaveAnotherSizeThanItsMode() throws {
    let rig = try oneCamera()
    #expect(try rig.receive(luma: 200))
    rig.cameras["/a"] = .resizes
    #expect(try rig.receive { $0.reader.video.last?.header.width == 160 })
    #expect(try rig.receive(luma: 200))
    #expect(rig.reader.video.last?.header.height == 90)
    #expect(try rig.receive { $0.pipeline.statistics.video.width == 160 })
    #expect(!rig.lumas.contains(cardLuma))
    try rig.finish()
    #expect(rig.cameras.openings == 1)
  }

  @Test func beginsEachCameraWithAKeyFrame() throws {
    let rig = try Rig(["/a": FakeCameras.Camera(luma: 200), "/b": FakeCameras.Camera(luma: 120)], order: ["/a", "/b"])
    #expect(try rig.receive(luma: 200))
    try rig.pipeline.swapCamera()
    #expect(try rig.receive(luma: 120))
    let first = try #require(rig.lumas.firstIndex { $0 < 160 })
    #expect(rig.reader.video[first].header.isKeyFrame)
    try rig.finish()
  }

  @Test func keepsTheCameraWhenTheOtherOneDoesNotOpen() throws {
    let rig = try Rig(
      [
        "/a": FakeCameras.Camera(luma: 200), "/b": FakeCameras.Camera(luma: 120, behaviour: .hangs),
        "/c": FakeCameras.Camera(luma: 80, behaviour: .absent),
      ], order: ["/a", "/b", "/c"])
    #expect(try rig.receive(luma: 200))
    try rig.pipeline.swapCamera()
    #expect(try rig.receive { $0.pipeline.statistics.cameraFailures >= 2 })
    #expect(rig.lumas.allSatisfy { $0 > 190 })
    rig.cameras.release()
    try rig.finish()
  }

  @Test func refusesToSwapASingleCamera() throws {
    let rig = try oneCamera()
    #expect(try rig.receive(luma: 200))
    #expect(throws: NoOtherCamera()) { try rig.pipeline.swapCamera() }
    try rig.finish()
  }

  @Test func tellsWhatItDoes() throws {
    let rig = try oneCamera()
    #expect(try rig.receive { $0.pipeline.statistics.video.encodedRate > 10 })
    let status = rig.pipeline.statistics.video
    #expect(status.source == "/a" && status.width == 320 && status.encodedHeight == 180)
    #expect(status.frameRate == 30 && status.speed == VP8EncoderSettings.defaultSpeed && status.temporalLayers == 1)
    #expect(status.encodeTime > .zero)
    try rig.finish()
  }

  @Test func stepsDownWithTheRateAndSaysSoInEveryFrame() throws {
    let rig = try oneCamera()
    #expect(try rig.receive(luma: 200))
    rig.pipeline.setVideoBitrate(.kilobits(30))
    #expect(try rig.receive { $0.reader.video.last?.header.height == 132 })
    #expect(rig.reader.video.last?.header.width == 240)
    #expect(rig.pipeline.statistics.framesThinned == 0)
    try rig.finish()
  }
}
