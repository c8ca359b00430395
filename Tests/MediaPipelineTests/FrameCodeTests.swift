import MediaCore
import Testing
import MediaCodecs

@testable import MediaPipeline

@Suite struct FrameCodeTests {
  @Test(arguments: [(640, 480), (320, 180), (256, 144), (1_280, 720), (642, 362)])
  func isReadBackFromAPlainPicture(width: Int, height: Int) {
    var picture = I420Buffer(width: width, height: height)
    for number in [0, 1, 0xABCDEF, 0xFF_FFFF] as [UInt32] {
      let code = FrameCode(number: number, timestamp: MonotonicInstant(nanoseconds: 12_345_678_901_234))
      code.draw(into: &picture)
      let found = FrameCode.read(picture.view)
      #expect(found == code)
    }
  }

  @Test(arguments: [(640, 480), (320, 180), (1_280, 720), (642, 362)])
  func isReadBackFromACorner(width: Int, height: Int) {
    var picture = I420Buffer(width: width, height: height)
    let code = FrameCode(number: 0xABCDEF, timestamp: MonotonicInstant(nanoseconds: 12_345_678_901_234))
    code.draw(into: &picture, at: .corner)
    let found = FrameCode.read(picture.view)
    #expect(found == code)
    let (top, right) = (picture.view.luma(x: 0, y: 0), picture.view.luma(x: width - 1, y: height - 1))
    #expect(top == 16 && right == 16)
  }

  /// The layout that other languages read: changing it breaks them.
  @Test func hasTheDocumentedLayout() {
    var picture = I420Buffer(width: 320, height: 160)
    let code = FrameCode(number: 0x012345, timestamp: MonotonicInstant(nanoseconds: 0x6789AB * 1_000_000))
    code.draw(into: &picture)
    let view = picture.view
    var bits: UInt64 = 0
    for index in 0..<64 {
      bits = bits << 1 | (view.luma(x: index % 32 * 10 + 5, y: index / 32 * 10 + 5) > 126 ? 1 : 0)
    }
    // CRC-16/CCITT-FALSE of 01 23 45 67 89 AB is 0xC475.
    #expect(bits == 0x0123_4567_89AB_C475)
  }

  @Test func isAbsentFromOtherFrames() {
    var picture = I420Buffer(width: 640, height: 480)
    let inBlack = FrameCode.read(picture.view)
    #expect(inBlack == nil)
    PlaceholderFrame.draw(into: &picture)
    let inCard = FrameCode.read(picture.view)
    #expect(inCard == nil)
    FrameCode(number: 77, timestamp: MonotonicInstant(nanoseconds: 0)).draw(into: &picture)
    picture.fill(FrameArea(x: 100, y: 0, width: 20, height: 30), with: YUVColour(y: 235))
    let inDamaged = FrameCode.read(picture.view)
    #expect(inDamaged == nil)
  }

  @Test(arguments: [(320, 180, 150), (640, 480, 400), (640, 480, 800)])
  func survivesVP8(width: Int, height: Int, kilobits: Int) throws {
    var encoder = try VP8Encoder(
      VP8EncoderSettings(width: width, height: height, frameRate: 30, bitrate: .kilobits(kilobits)))
    var decoder = try VP8Decoder()
    var picture = I420Buffer(width: width, height: height)
    var bars = TestBars(width: width)
    bars.drawBackground(into: &picture)
    var (expected, found): ([FrameCode], [FrameCode?]) = ([], [])
    var bytes = 0
    for index in 0..<150 {
      let timestamp = MonotonicInstant(nanoseconds: 1_000_000_000 + Int64(index) * 33_333_333)
      bars.drawNext(into: &picture, at: timestamp)
      try encoder.encode(picture.view, at: timestamp, duration: .milliseconds(33)) { _, payload in
        expected.append(FrameCode(number: UInt32(index), timestamp: timestamp))
        bytes += payload.byteCount
        let frame = payload.copiedToArray()
        _ = try? decoder.decode(frame.span.bytes) { found.append(FrameCode.read($0)) }
      }
    }
    #expect(found == expected)
    #expect(expected.count >= 140)
    // 5 s at the rate asked for, and a fifth more.
    #expect(bytes * 8 < kilobits * 1_000 * 6)
  }
}
