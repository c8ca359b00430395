import CTestSupport
import MediaCore
import TestSupport
import Testing

@testable import V4L2Capture

/// One colour in a format that libv4lconvert takes.
private struct Sample: Sendable, CustomStringConvertible {
  let code: FourCC
  /// A row of the first plane and, when it differs, of what follows below it.
  let rows: [[UInt8]]
  /// The values to come out: Y, U and V, or R, G and B.
  let expected: [UInt8]

  static let width = 32
  static let height = 8

  var description: String { code.description }

  init(_ code: FourCC, _ pattern: [UInt8], then odd: [UInt8]? = nil, _ expected: [UInt8]) {
    self.code = code
    self.expected = expected
    rows = [pattern, odd ?? pattern].map { row in (0..<Self.width).flatMap { _ in row } }
  }

  /// The frame, with a gap after each row; `rows` alternate, or follow each other as planes.
  func frame(gap: Int) -> [UInt8] {
    let format = ConvertibleFormat(code)!
    let layout = format.rows(width: Self.width, height: Self.height)!
    return (0..<layout.count).flatMap { index in
      let source = layout.count > Self.height ? rows[index / Self.height] : rows[index % 2]
      return source.prefix(layout.bytes) + Array(repeating: 0xEE, count: gap)
    }
  }
}

private let orange: [UInt8] = [240, 140, 20]
private let yuv: [UInt8] = [150, 60, 180]
private let grey: [UInt8] = [90, 128, 128]

private let samples: [Sample] = [
  Sample(FourCC("YVYU"), [150, 180, 150, 60], yuv),
  Sample(FourCC("NV16"), [150, 150], then: [60, 180], yuv),
  Sample(FourCC("NV61"), [150, 150], then: [180, 60], yuv),
  // 5, 6 and 5 bits: 30, 35 and 2.
  Sample(FourCC("RGBP"), [UInt8(35 << 5 & 0xFF) | 2, 30 << 3 | 35 >> 3], [240, 140, 16]),
  Sample(FourCC("RGB4"), [0, 240, 140, 20], orange),
  Sample(FourCC("BX24"), [0, 240, 140, 20], orange),
  Sample(FourCC("BA24"), [0, 240, 140, 20], orange),
  Sample(FourCC("BGR4"), [20, 140, 240, 0], orange),
  Sample(FourCC("XR24"), [20, 140, 240, 0], orange),
  Sample(FourCC("AR24"), [20, 140, 240, 0], orange),
  Sample(FourCC("BA81"), [20, 140], then: [140, 240], yuv),
  Sample(FourCC("GBRG"), [140, 20], then: [240, 140], yuv),
  Sample(FourCC("GRBG"), [140, 240], then: [20, 140], yuv),
  Sample(FourCC("RGGB"), [240, 140], then: [140, 20], yuv),
  Sample(FourCC("BYR2"), [0, 20, 0, 140], then: [0, 140, 0, 240], yuv),
  Sample(FourCC("RG16"), [0, 240, 0, 140], then: [0, 140, 0, 20], yuv),
  Sample(FourCC("BG10"), [80, 0, 48, 2], then: [48, 2, 192, 3], yuv),
  Sample(FourCC("pRAA"), [240, 140, 240, 140, 0], then: [140, 20, 140, 20, 0], yuv),
  Sample(FourCC("GREY"), [90], grey),
  Sample(FourCC("Y16"), [7, 90], grey),
  Sample(FourCC("Y16").bigEndian, [90, 7], grey),
]

@Suite struct FrameConverterTests {
  private static func makeConverter(_ code: FourCC) throws -> FrameConverter {
    let format = try #require(ConvertibleFormat(code))
    let converter = FrameConverter(format, width: Sample.width, height: Sample.height, largestFrame: 0)
    guard let converter else { throw Absent() }
    return converter
  }

  private struct Absent: Error {}

  private static func convert(
    _ bytes: [UInt8], _ converter: borrowing FrameConverter, bytesPerLine: Int
  ) -> Bool {
    bytes.withUnsafeBytes { converter.convert($0, bytesPerLine: bytesPerLine) }
  }

  @Test(arguments: samples, [0, 24]) fileprivate func keepsColours(_ sample: Sample, gap: Int) throws {
    let converter = try Self.makeConverter(sample.code)
    let layout = try #require(ConvertibleFormat(sample.code)?.rows(width: Sample.width, height: Sample.height))
    let isWhole = Self.convert(sample.frame(gap: gap), converter, bytesPerLine: layout.bytes + gap)
    #expect(isWhole)
    let components = Self.components(Array(converter.converted), converter.format.target)
    for (component, value) in zip(components, sample.expected) {
      let farthest = component.map { abs(Int($0) - Int(value)) }.max()
      #expect(farthest! <= 3, "\(Set(component).sorted()) for \(value)")
    }
  }

  /// The three planes of YU12, or the three colours of RGB24.
  private static func components(_ picture: [UInt8], _ format: PixelFormat) -> [[UInt8]] {
    let pixels = Sample.width * Sample.height
    guard format == .yu12 else {
      return (0..<3).map { colour in stride(from: colour, to: pixels * 3, by: 3).map { picture[$0] } }
    }
    return [picture[..<pixels], picture[pixels..<pixels * 5 / 4], picture[(pixels * 5 / 4)...]].map { Array($0) }
  }

  @Test(.enabled(if: callocation_count() >= 0), arguments: samples)
  fileprivate func allocatesNothingAfterTheFirstFrame(_ sample: Sample) throws {
    let converter = try Self.makeConverter(sample.code)
    let frame = sample.frame(gap: 0)
    let bytesPerLine = try #require(ConvertibleFormat(sample.code)?.rows(width: 32, height: 8)).bytes
    _ = Self.convert(frame, converter, bytesPerLine: bytesPerLine)
    let before = callocation_count()
    for _ in 0..<50 { _ = Self.convert(frame, converter, bytesPerLine: bytesPerLine) }
    #expect(callocation_count() == before)
  }

  @Test(arguments: samples) fileprivate func refusesShortFrames(_ sample: Sample) throws {
    let converter = try Self.makeConverter(sample.code)
    let whole = sample.frame(gap: 0)
    let bytesPerLine = try #require(ConvertibleFormat(sample.code)?.rows(width: 32, height: 8)).bytes
    for count in [0, 1, whole.count / 2, whole.count - 1] {
      let isWhole = Self.convert(Array(whole[..<count]), converter, bytesPerLine: bytesPerLine)
      #expect(!isWhole)
    }
  }

  @Test func refusesOddSizes() throws {
    let format = try #require(ConvertibleFormat(FourCC("BA81")))
    for (width, height) in [(33, 8), (32, 7), (0, 0)] {
      let isMade = FrameConverter(format, width: width, height: height, largestFrame: 0) != nil
      #expect(!isMade)
    }
  }

  /// Formats without rows of a fixed length, whose decoders see whatever a camera sends.
  @Test(arguments: ["S501", "S910", "SONX", "P207", "905C", "S401", "S920", "S680"] as [StaticString])
  func survivesGarbage(_ code: StaticString) throws {
    let format = try #require(ConvertibleFormat(FourCC(code)))
    let made = FrameConverter(format, width: 64, height: 48, largestFrame: 64 * 48)
    guard let converter = consume made else { throw Absent() }
    var random = SeededGenerator(seed: 42)
    for count in [0, 1, 13, 200, 3_000, 64 * 48 * 4] {
      for _ in 0..<20 {
        let frame = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        _ = Self.convert(frame, converter, bytesPerLine: 64)
      }
    }
  }
}
