import Glibc
import MediaCore
import MediaPipeline
import PixelConversion
import RealtimeRuntime
import MediaCodecs

/// Draws the test picture, packs it as a camera's YUYV, and measures turning that into published frames.
struct VideoStageBench: ~Copyable {
  private(set) var conversionTime = 0.0
  private(set) var encodingTime = 0.0
  private(set) var pictures = 0
  private(set) var bytes = 0

  private let frameRate: Int64
  private var drawn: I420Buffer
  private var converted: I420Buffer
  private var bars: TestBars
  private var packed: [UInt8]
  private var encoder: VP8Encoder
  private let bus = FrameBus()
  private let inbox: FrameInbox

  init(_ encoder: consuming VP8Encoder, _ inbox: FrameInbox) {
    let settings = encoder.settings
    let (width, height) = (settings.width, settings.height)
    frameRate = Int64(settings.frameRate)
    drawn = I420Buffer(width: width, height: height)
    converted = I420Buffer(width: width, height: height)
    bars = TestBars(width: width)
    bars.drawBackground(into: &drawn)
    packed = [UInt8](repeating: 0, count: width * height * 2)
    self.encoder = encoder
    self.inbox = inbox
    bus.attach(inbox)
  }

  mutating func step(_ index: Int) throws {
    let timestamp = MonotonicInstant(nanoseconds: Int64(index) * 1_000_000_000 / frameRate)
    bars.drawNext(into: &drawn, at: timestamp)
    pack()
    let start = cpuTime(CLOCK_THREAD_CPUTIME_ID)
    try Self.convert(packed, into: &converted)
    let middle = cpuTime(CLOCK_THREAD_CPUTIME_ID)
    let duration = TimeSpan(nanoseconds: 1_000_000_000 / frameRate)
    let count = try Self.encode(converted, with: &encoder, at: timestamp, duration: duration, to: bus)
    encodingTime += cpuTime(CLOCK_THREAD_CPUTIME_ID) - middle
    conversionTime += middle - start
    pictures += count > 0 ? 1 : 0
    bytes += count
    while inbox.video.popFirst({ _, _ in }) != nil {}
  }

  private static func convert(_ packed: borrowing [UInt8], into picture: inout I420Buffer) throws {
    let bytesPerLine = picture.width * 2
    try PixelConverter.convert(packed.span.bytes, format: .yuyv, bytesPerLine: bytesPerLine, into: &picture)
  }

  /// Returns the bytes of the frame, 0 when the rate control left it out.
  private static func encode(
    _ picture: borrowing I420Buffer, with encoder: inout VP8Encoder, at timestamp: MonotonicInstant,
    duration: TimeSpan, to bus: FrameBus
  ) throws -> Int {
    var count = 0
    let size = (width: UInt16(picture.width), height: UInt16(picture.height))
    try encoder.encode(picture.view, at: timestamp, duration: duration) { info, payload in
      let header = EncodedFrameHeader(
        kind: .video, timestamp: timestamp, duration: duration, isKeyFrame: info.isKeyFrame, number: 0,
        width: size.width, height: size.height)
      bus.publish(header, payload: payload)
      count += payload.byteCount
    }
    return count
  }

  /// Repeats each row of chroma, as a camera that has none in between would.
  private mutating func pack() {
    let (width, height) = (drawn.width, drawn.height)
    let (yStride, chromaStride) = (drawn.yStride, drawn.chromaStride)
    packed.withUnsafeMutableBufferPointer { packed in
      drawn.withUnsafeMutablePlanes { y, u, v in
        for row in 0..<height {
          for pair in 0..<width / 2 {
            let target = (row * width + pair * 2) * 2
            packed[target] = y[row * yStride + pair * 2]
            packed[target + 1] = u[row / 2 * chromaStride + pair]
            packed[target + 2] = y[row * yStride + pair * 2 + 1]
            packed[target + 3] = v[row / 2 * chromaStride + pair]
          }
        }
      }
    }
  }
}
