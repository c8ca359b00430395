import MediaCore
import Testing
import MediaCodecs

@testable import MediaPipeline

@Suite struct TestStreetTests {
  private static func frame(
    _ number: Int, width: Int = 320, height: Int = 180, rate: Int = 15, isSkipping: Bool = true
  ) -> I420Buffer {
    var street = TestStreet(width: width, height: height, frameRate: rate)
    var image = I420Buffer(width: width, height: height)
    for _ in 0..<number {
      if isSkipping { street.skip() } else { street.drawNext(into: &image, at: MonotonicInstant(nanoseconds: 1)) }
    }
    street.drawNext(into: &image, at: MonotonicInstant(nanoseconds: 5_000_000))
    return image
  }

  private static func luma(_ image: borrowing I420Buffer) -> [UInt8] {
    let view = image.view
    return (0..<view.height).flatMap { row in (0..<view.width).map { view.luma(x: $0, y: row) } }
  }

  @Test(arguments: [0, 1, 70, 150, 2_000]) func aFrameFollowsFromItsNumber(number: Int) {
    let first = Self.frame(number)
    let second = Self.frame(number)
    let (one, two) = (Self.luma(first), Self.luma(second))
    #expect(one == two)
    guard number < 200 else { return }
    let drawn = Self.frame(number, isSkipping: false)
    let three = Self.luma(drawn)
    #expect(one == three)
  }

  @Test(arguments: [(640, 480, 30), (320, 180, 15), (1_280, 720, 25), (642, 362, 60), (240, 320, 10)])
  func hasAMarkAtAnySizeAndRate(width: Int, height: Int, rate: Int) {
    let image = Self.frame(3, width: width, height: height, rate: rate)
    let code = FrameCode.read(image.view)
    #expect(code?.number == 3 && code?.milliseconds == 5)
  }

  /// Sizes in which hardly anything has room.
  @Test(arguments: [(1, 1), (2, 500), (500, 2), (33, 17)]) func noSizeIsTooOdd(width: Int, height: Int) {
    for number in [0, 40, 90] { _ = Self.frame(number, width: width, height: height) }
  }

  /// Somebody walks by within seconds, and is gone before the next; noise alone changes little.
  @Test func somethingHappensAndThereIsQuiet() {
    let changes = (0..<20).map { second in
      let before = Self.frame(second * 15)
      let after = Self.frame(second * 15 + 7)
      let pairs = zip(Self.luma(before), Self.luma(after))
      return pairs.count { abs(Int($0) - Int($1)) > 24 }
    }
    // Beyond the mark and the leaves.
    #expect(changes[0] < 380)
    #expect(changes[4...8].allSatisfy { $0 > 400 }, "\(changes)")
    #expect((changes.last ?? 0) < 380, "\(changes)")
  }

  @Test func itsMarkSurvivesVP8() throws {
    var encoder = try VP8Encoder(
      VP8EncoderSettings(width: 640, height: 480, frameRate: 30, bitrate: .kilobits(800)))
    var decoder = try VP8Decoder()
    var street = TestStreet(width: 640, height: 480, frameRate: 30)
    var image = I420Buffer(width: 640, height: 480)
    var (expected, found): ([FrameCode], [FrameCode?]) = ([], [])
    for index in 0..<120 {
      let timestamp = MonotonicInstant(nanoseconds: 1_000_000_000 + Int64(index) * 33_333_333)
      street.drawNext(into: &image, at: timestamp)
      try encoder.encode(image.view, at: timestamp, duration: .milliseconds(33)) { _, payload in
        expected.append(FrameCode(number: UInt32(index), timestamp: timestamp))
        let frame = payload.copiedToArray()
        _ = try? decoder.decode(frame.span.bytes) { found.append(FrameCode.read($0)) }
      }
    }
    let read = zip(expected, found).count { $0 == $1 }
    #expect(read >= expected.count * 9 / 10)
  }
}
