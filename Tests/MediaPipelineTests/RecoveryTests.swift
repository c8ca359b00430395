import MediaCore
import RealtimeRuntime
import Testing
import MediaCodecs

@testable import MediaPipeline

/// Sources that cannot be opened: what is sent instead, and what control learns.
@Suite(.serialized, .timeLimit(.minutes(1))) struct RecoveryTests {
  private func pipeline(_ bus: FrameBus) -> MediaPipeline {
    MediaPipeline(
      configuration: MediaPipelineConfiguration(
        cameras: [.camera(path: "/dev/video-absent"), .testBars], microphone: .device("hw:CARD=Absent"), width: 320,
        height: 180,
        videoBitrate: .kilobits(300)),
      bus: bus)
  }

  @Test func goesOnWithACardAndSilence() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = pipeline(bus)
    try pipeline.start([.audio, .video])
    #expect(reader.receive { $0.video.count >= 2 && $0.audio.count >= 75 })
    pipeline.stop([.audio, .video])
    #expect(reader.video[0].header.isKeyFrame)
    #expect(reader.video[1].header.timestamp - reader.video[0].header.timestamp >= .milliseconds(990))
    #expect(reader.video.map(\.header.number) == Array(0..<UInt32(reader.video.count)))
    for (one, next) in zip(reader.audio, reader.audio.dropFirst()) {
      let step = (next.header.timestamp - one.header.timestamp).milliseconds
      #expect((18...22).contains(step))
    }
    #expect(pipeline.statistics.cameraFailures >= 1)
    #expect(pipeline.statistics.microphoneFailures >= 2)
  }

  @Test func showsADarkFrame() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = pipeline(bus)
    try pipeline.start([.video])
    #expect(reader.receive { $0.video.count >= 1 })
    pipeline.stop([.video])
    var decoder = try VP8Decoder()
    var corner: UInt8 = 255
    let card = reader.video[0].payload
    try decoder.decode(card.span.bytes) { corner = $0.luma(x: 5, y: 5) }
    #expect(abs(Int(corner) - 40) < 8)
  }

  @Test func tellsEachFailureOnce() async throws {
    let bus = FrameBus()
    var pipeline: MediaPipeline? = pipeline(bus)
    let events = pipeline!.events
    try pipeline!.start([.audio])
    let end = MonotonicClock.now() + .seconds(10)
    while pipeline!.statistics.microphoneFailures < 3, MonotonicClock.now() < end {
      try await Task.sleep(for: .milliseconds(50))
    }
    pipeline!.stop([.audio])
    #expect(pipeline!.waitUntilIdle(timeout: .seconds(5)))
    pipeline = nil
    var seen: [MediaPipelineEvent] = []
    for await event in events { seen.append(event) }
    #expect(seen.count == 2)
    guard case .failed(.audio, let reason) = seen.first else {
      Issue.record("no failure: \(seen)")
      return
    }
    #expect(reason.contains("hw:CARD=Absent: snd_pcm_open"))
    #expect(seen.last == .closed(.audio))
  }

  @Test func tellsWhatWasTaken() async throws {
    let bus = FrameBus()
    let pipeline = MediaPipeline(
      configuration: MediaPipelineConfiguration(cameras: [.testBars], microphone: .none, width: 320, height: 180),
      bus: bus)
    try pipeline.start([.video])
    var iterator = pipeline.events.makeAsyncIterator()
    let event = await iterator.next()
    pipeline.stop([.video])
    #expect(event == .opened(.video, name: "test:bars", description: "test bars 320×180 at 30/s"))
  }

  @Test func mutesVideoToACard() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = MediaPipeline(
      configuration: MediaPipelineConfiguration(cameras: [.testBars], microphone: .none, width: 320, height: 180),
      bus: bus)
    try pipeline.start([.video])
    #expect(reader.receive { $0.video.count >= 5 })
    pipeline.setMuted(true, .video)
    #expect(reader.receive { $0.video.last?.header.duration == .seconds(1) })
    pipeline.setMuted(false, .video)
    #expect(reader.receive { $0.video.last?.header.duration != .seconds(1) })
    pipeline.stop([.video])
    var decoder = try VP8Decoder()
    var last: FrameCode?
    for frame in reader.video { try decoder.decode(frame.payload.span.bytes) { last = FrameCode.read($0) } }
    #expect(last != nil)
  }

  @Test func swapsTheCamera() throws {
    let bus = FrameBus()
    let reader = try InboxReader(on: bus)
    let pipeline = pipeline(bus)
    try pipeline.start([.video])
    #expect(reader.receive { $0.video.count >= 1 })
    try pipeline.swapCamera()
    #expect(reader.receive { $0.video.count >= 10 })
    pipeline.stop([.video])
    #expect(pipeline.waitUntilIdle(timeout: .seconds(5)))
    #expect(reader.video.map(\.header.number) == Array(0..<UInt32(reader.video.count)))
    var decoder = try VP8Decoder()
    var last: FrameCode?
    for frame in reader.video { try decoder.decode(frame.payload.span.bytes) { last = FrameCode.read($0) } }
    #expect(last != nil)
  }
}
