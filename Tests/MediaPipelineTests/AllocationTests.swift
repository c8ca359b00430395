import CAllocationCounter
import MediaCore
import OpusCodec
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

  private func makeControls(_ bus: FrameBus) -> PipelineControls {
    let (_, continuation) = AsyncStream.makeStream(of: MediaPipelineEvent.self)
    return PipelineControls(
      configuration: MediaPipelineConfiguration(width: 320, height: 180, videoBitrate: .kilobits(300)), bus: bus,
      events: continuation)
  }

  @Test func videoAllocatesNothing() throws {
    let bus = FrameBus()
    let inbox = try FrameInbox()
    bus.attach(inbox)
    let controls = makeControls(bus)
    var stage = try VideoStage(width: 320, height: 180, frameRate: 30, controls: controls)
    var bars = TestBars(width: 320)
    bars.drawBackground(into: &stage.picture)
    var before = 0
    var frames = 0
    for index in 0..<360 {
      if index == 60 { before = callocation_count() }
      if index % 100 == 99 { controls.isKeyFrameRequested.store(true, ordering: .relaxed) }
      let timestamp = MonotonicInstant(nanoseconds: Int64(index + 1) * 33_333_333)
      bars.drawNext(into: &stage.picture, at: timestamp)
      try stage.publish(at: timestamp)
      while inbox.video.popFirst({ _, _ in frames += 1 }) != nil {}
    }
    #expect(callocation_count() - before <= 300 * publishing)
    #expect(frames > 300)
  }

  @Test func conversionAllocatesNothing() throws {
    let controls = makeControls(FrameBus())
    var stage = try VideoStage(width: 320, height: 180, frameRate: 30, controls: controls)
    let frame = [UInt8](repeating: 90, count: 320 * 180 * 2)
    let formats: [PixelFormat] = [.yuyv, .uyvy, .nv12, .nv21, .yu12, .yv12]
    try stage.convert(frame.span.bytes, format: .yuyv, bytesPerLine: 640)
    let before = callocation_count()
    for index in 0..<300 {
      let format = formats[index % formats.count]
      let isPacked = format == .yuyv || format == .uyvy
      try stage.convert(frame.span.bytes, format: format, bytesPerLine: isPacked ? 640 : 320)
    }
    #expect(callocation_count() - before == 0)
  }

  @Test func audioAllocatesNothing() throws {
    let bus = FrameBus()
    let inbox = try FrameInbox()
    bus.attach(inbox)
    var stage = try AudioStage(makeControls(bus))
    var tone = ToneGenerator(frequency: 1_000)
    var buffer = PlayoutBuffer()
    var decoder = try OpusDecoder(channels: .mono)
    var output = [Int16](repeating: 0, count: OpusDecoder.maximumSamplesPerPacket)
    var before = 0
    var heard = 0
    for index in 0..<360 {
      if index == 60 { before = callocation_count() }
      stage.fill { samples in
        tone.fill(&samples, channels: 1)
        return samples.count
      }
      try stage.publish(capturedAt: MonotonicInstant(nanoseconds: Int64(index) * 20_000_000))
      while inbox.audio.popFirst({ buffer.insert($0.number, $1) }) != nil {}
      var span = output.mutableSpan
      heard += buffer.peek { (try? decoder.decode($0, into: &span)) ?? 0 } ?? 0
      buffer.advance()
    }
    #expect(callocation_count() - before <= 300 * publishing)
    #expect(heard == 360 * 960)
  }
}
