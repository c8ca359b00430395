import MediaCodecs
import CTestSupport
import AudioProcessing
import MediaCore
import PixelConversion
import RealtimeRuntime
import Synchronization
import Testing

@testable import MediaPipeline

/// After warm-up the media path allocates nothing (counted for the testing thread by replacing malloc).
@Suite struct AllocationTests {
  /// Counting works: without this the other tests could not fail.
  @Test(.enabled(if: callocation_count() >= 0)) func countsAllocations() {
    let before = callocation_count()
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 16)
    memory.deallocate()
    #expect(callocation_count() == before + 1)
  }

  /// Allocations of the bus for each frame: walking an array of inboxes costs one where nothing is specialised.
  private var publishing: Int {
    #if DEBUG
      1
    #else
      0
    #endif
  }

  /// An encoder made again, once, since a slow machine is better off with other threads.
  private let settingUp = 128

  private func makeControls(
    _ bus: FrameBus, camera: VideoSourceSelection = .testBars, bitrate: Bitrate = .kilobits(600)
  ) -> PipelineControls {
    let (_, continuation) = AsyncStream.makeStream(of: MediaPipelineEvent.self)
    return PipelineControls(
      configuration: MediaPipelineConfiguration(
        cameras: [camera], width: 320, height: 180, frameRate: 120, videoBitrate: bitrate),
      bus: bus, events: continuation)
  }

  /// The video thread's part, while the source's thread runs beside it; with few bits it scales and thins out.
  @Test(arguments: [600, 120, 40]) func videoLoopAllocatesNothing(kilobits: Int) throws {
    let bus = FrameBus()
    let inbox = try FrameInbox()
    bus.attach(inbox)
    let controls = makeControls(bus, bitrate: .kilobits(kilobits))
    let run = try MediaThreadRun()
    var loop = VideoLoop(controls, run)
    var before = 0
    var frames = 0
    let end = MonotonicClock.now() + .seconds(4)
    let warm = MonotonicClock.now() + .seconds(1)
    while MonotonicClock.now() < end {
      if MonotonicClock.now() < warm { (before, frames) = (callocation_count(), 0) }
      if frames % 30 == 29 { controls.video.isKeyFrameRequested.store(true, ordering: .relaxed) }
      try loop.step(now: MonotonicClock.now())
      run.wait(until: MonotonicClock.now() + .milliseconds(20))
      while inbox.video.popFirst({ _, _ in frames += 1 }) != nil {}
    }
    #expect(callocation_count() - before <= frames * publishing + settingUp)
    #expect(frames > 15)
    loop.close()
  }

  /// The source's thread's part, and what happens to a picture that is scaled.
  @Test(arguments: [VideoSourceSelection.testBars, .testStreet, .file(path: "", repeats: true)])
  func sourcesAllocateNothing(selection: VideoSourceSelection) throws {
    let clip = try Y4MClip(width: 320, height: 180, rate: "240:1", pictures: 7)
    let controls = makeControls(FrameBus())
    let isFile = if case .file = selection { true } else { false }
    let source = try SystemSources.open(
      SourceRequest(
        selection: isFile ? .file(path: clip.path, repeats: true) : selection, width: 320, height: 180,
        frameRate: 240))
    let feed = try FrameQueue(id: 0, controls: controls, wake: EventDescriptor())
    feed.open(source, of: selection)
    var scaled = I420Buffer(width: 240, height: 132)
    var before = 0
    for index in 0..<300 {
      if index == 20 { before = callocation_count() }
      _ = try feed.takeFrame(from: source)
      _ = feed.takeFirst { picture, _ in FrameScaler.scale(picture, quarters: 3, into: &scaled) }
    }
    #expect(callocation_count() - before == 0)
    #expect(feed.arrivalCount == 300)
  }

  @Test func conversionAllocatesNothing() throws {
    var picture = I420Buffer(width: 320, height: 180)
    let frame = [UInt8](repeating: 90, count: 320 * 180 * 2)
    let formats: [PixelFormat] = [.yuyv, .uyvy, .nv12, .nv21, .yu12, .yv12]
    try PixelConverter.convert(frame.span.bytes, format: .yuyv, bytesPerLine: 640, into: &picture)
    let before = callocation_count()
    for index in 0..<300 {
      let format = formats[index % formats.count]
      let isPacked = format == .yuyv || format == .uyvy
      try PixelConverter.convert(
        frame.span.bytes, format: format, bytesPerLine: isPacked ? 640 : 320, into: &picture)
    }
    #expect(callocation_count() - before == 0)
  }

  /// From a source's packet to the mix of the loudspeaker.
  private struct SoundPath: ~Copyable {
    let inbox: FrameInbox
    var stage: AudioStage
    private let stream: AudioReceiveStream
    private var mixer = SoundMixer(channels: 1)
    private(set) var packets = 0

    init(_ controls: PipelineControls) throws {
      let (inbox, stream) = (try FrameInbox(), try AudioReceiveStream(PlayoutSource(), channels: 1))
      let stage = try AudioStage(controls)
      controls.bus.attach(inbox)
      self.inbox = inbox
      self.stage = stage
      self.stream = stream
    }

    var heard: Int { stream.statistics.decodedPackets }

    /// Plays two blocks for each packet.
    mutating func receive() {
      let received = stream.talker.received
      while let now = inbox.audio.popFirst({ Self.handOver($0, $1, to: received) }) {
        packets += 1
        stream.mix(into: &mixer, now: now, delay: .zero)
        stream.mix(into: &mixer, now: now + .milliseconds(10), delay: .zero)
      }
    }

    private static func handOver(
      _ header: EncodedFrameHeader, _ payload: RawSpan, to queue: ReceivedSoundQueue
    ) -> MonotonicInstant {
      let arrival = SoundArrival(
        instant: header.timestamp, timestamp: header.number &* 960,
        sequenceNumber: UInt16(truncatingIfNeeded: header.number))
      queue.push(arrival, payload: payload)
      return header.timestamp
    }
  }

  @Test func toneAllocatesNothing() throws {
    var path = try SoundPath(makeControls(FrameBus()))
    var tone = ToneGenerator(frequency: 1_000)
    let pacer = AudioPacer(channels: 1)
    var before = 0
    for index in 0..<360 {
      if index == 60 { before = callocation_count() }
      var samples = pacer.packet.mutableSpan
      tone.fill(&samples, channels: 1)
      try path.stage.encode(pacer.packet.span, at: MonotonicInstant(nanoseconds: Int64(index) * 20_000_000))
      path.receive()
    }
    #expect(callocation_count() - before <= 300 * publishing)
    let heard = path.heard
    // The last packets wait for their turn.
    #expect(heard >= 356)
  }

  @Test(arguments: [44_100, 48_000])
  func fileAllocatesNothing(rate: Int) throws {
    let file = try TemporaryWAV(rate: rate, samples: [Int16](repeating: 1_000, count: rate / 10))
    var path = try SoundPath(makeControls(FrameBus()))
    var source = try WAVSource(path: file.path, channels: 1, repeats: true)
    let pacer = AudioPacer(channels: 1)
    var before = 0
    for index in 0..<360 {
      if index == 60 { before = callocation_count() }
      try source.fill(pacer.packet)
      try path.stage.encode(pacer.packet.span, at: MonotonicInstant(nanoseconds: Int64(index) * 20_000_000))
      path.receive()
    }
    #expect(callocation_count() - before <= 300 * publishing)
  }

  /// With jitter, overruns, and a device that comes back with the same rate.
  @Test(arguments: [44_100, 48_000])
  func captureAllocatesNothing(rate: Int) throws {
    var path = try SoundPath(makeControls(FrameBus()))
    var timeline = try AudioTimeline(channels: 1)
    try timeline.setInputRate(rate)
    let samples = [Int16](repeating: 1_000, count: rate / 100)
    var (before, warm) = (0, 0)
    for index in 0..<2_000 {
      if index == 500 {
        before = callocation_count()
        warm = path.packets
      }
      if index % 100 == 50 { timeline.interrupt() }
      if index % 500 == 250 { try timeline.setInputRate(rate) }
      let drift = Int64(index) * 5_000
      let stamp = MonotonicInstant(
        nanoseconds: Int64(index + index / 50) * 10_000_000 + drift + Int64(index % 3) * 1_000_000)
      try timeline.append(samples.span, capturedAt: stamp) { packet, start in try path.stage.encode(packet, at: start) }
      path.receive()
    }
    #expect(callocation_count() - before <= (path.packets - warm) * publishing)
    let heard = path.heard
    #expect(heard > 900)
  }
}
