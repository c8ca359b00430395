import CTestSupport
import Foundation
import MediaCore
import PixelConversion
import Testing

/// What became of a frame: a fault, or the samples of all three planes.
private enum Outcome: Hashable {
  case picture([UInt8])
  case fault(JPEGFault)
}

private func decode(_ bytes: [UInt8], with decoder: inout JPEGDecoder) -> Outcome {
  var picture = I420Buffer(width: decoder.width, height: decoder.height)
  do throws(PixelConversionError) {
    try decoder.decode(bytes.span.bytes, into: &picture)
  } catch {
    guard case .undecodable(let fault) = error else { preconditionFailure("\(error)") }
    return .fault(fault)
  }
  return .picture(samples(picture))
}

private func decode(_ bytes: [UInt8], width: Int, height: Int) throws -> Outcome {
  var decoder = try makeDecoder(width: width, height: height)
  return decode(bytes, with: &decoder)
}

private func decode(_ sample: JPEGSample) throws -> Outcome {
  try decode(sample.encoded(), width: sample.width, height: sample.height)
}

private func makeDecoder(width: Int, height: Int) throws -> JPEGDecoder {
  guard let decoder = JPEGDecoder(width: width, height: height) else { throw NoDecoder() }
  return decoder
}

private struct NoDecoder: Error {}

/// The rows without what lies between them.
private func samples(_ picture: borrowing I420Buffer) -> [UInt8] {
  let view = picture.view
  var samples: [UInt8] = []
  let (width, height) = ((view.width + 1) / 2, (view.height + 1) / 2)
  view.y.append(to: &samples, width: view.width, height: view.height, stride: view.yStride)
  view.u.append(to: &samples, width: width, height: height, stride: view.chromaStride)
  view.v.append(to: &samples, width: width, height: height, stride: view.chromaStride)
  return samples
}

extension RawSpan {
  fileprivate func append(to samples: inout [UInt8], width: Int, height: Int, stride: Int) {
    for row in 0..<height {
      for column in 0..<width {
        samples.append(unsafeLoad(fromByteOffset: row * stride + column, as: UInt8.self))
      }
    }
  }
}

@Suite struct JPEGDecoderTests {
  /// Those of cameras, of FFmpeg, which gives all components two rows of blocks where it can, and the rarer ones.
  private static let samplings: [(luma: (Int32, Int32), chroma: (Int32, Int32))] = [
    ((2, 2), (1, 1)), ((2, 1), (1, 1)), ((2, 2), (1, 2)), ((1, 1), (1, 1)), ((1, 2), (1, 2)), ((1, 2), (1, 1)),
    ((2, 2), (2, 1)), ((4, 1), (1, 1)), ((4, 2), (1, 1)), ((4, 1), (2, 1)), ((1, 4), (1, 1)), ((1, 4), (1, 2)),
  ]

  private static let sizes = [(80, 48), (83, 37), (17, 16), (1, 1)]

  static let supported: [JPEGSample] = sizes.flatMap { width, height in
    samplings.map { JPEGSample(width: width, height: height, luma: $0.luma, chroma: $0.chroma) } + [
      JPEGSample(width: width, height: height, components: 1, luma: (1, 1)),
      JPEGSample(width: width, height: height, components: 1, luma: (2, 2)),
      JPEGSample(width: width, height: height, restartInterval: 1),
    ]
  }

  static let unsupported = [
    JPEGSample(coding: CJPEG_SAMPLE_PROGRESSIVE), JPEGSample(coding: CJPEG_SAMPLE_SCAN_A_COMPONENT),
    JPEGSample(coding: CJPEG_SAMPLE_ARITHMETIC), JPEGSample(luma: (1, 1), isRGB: true),
    JPEGSample(components: 4, luma: (1, 1)), JPEGSample(luma: (3, 1)), JPEGSample(luma: (1, 1), chroma: (2, 1)),
  ]

  @Test(arguments: supported) func decodesEverySampling(sample: JPEGSample) throws {
    guard case .picture(let samples) = try decode(sample) else {
      Issue.record("no picture")
      return
    }
    #expect(farthest(samples, from: sample) <= 5)
  }

  /// How far a sample is from the slopes at most.
  private func farthest(_ samples: [UInt8], from sample: JPEGSample) -> Int {
    let (width, height) = ((sample.width + 1) / 2, (sample.height + 1) / 2)
    let positions = (0..<sample.height).flatMap { y in (0..<sample.width).map { ($0, y) } }
    let chroma = (0..<height).flatMap { y in (0..<width).map { (2 * $0, 2 * y) } }
    let isGrey = sample.components == 1
    let expected =
      positions.map { narrowed(sample.luma($0, $1), by: 219) }
      + chroma.map { isGrey ? 128 : narrowed(sample.u(min($0 + 1, sample.width - 1), $1), by: 224) }
      + chroma.map { isGrey ? 128 : narrowed(sample.v($0, min($1 + 1, sample.height - 1)), by: 224) }
    return zip(samples, expected).map { abs(Int($0) - $1) }.max()!
  }

  /// JPEG's full range is brought to that of video.
  private func narrowed(_ sample: UInt8, by range: Int) -> Int { 16 + (Int(sample) * range + 127) / 255 }

  @Test(arguments: unsupported) func refusesWhatNoCameraSends(sample: JPEGSample) throws {
    let outcome = try decode(sample)
    #expect(outcome == .fault(.unsupported))
  }

  /// Luma by three, chroma by two.
  @Test(arguments: [(UInt8(0x31), UInt8(0x21)), (0x13, 0x12)])
  func refusesRatiosThatAreNoWholeNumbers(luma: UInt8, chroma: UInt8) throws {
    var bytes = JPEGSample().encoded()
    let frame = frameHeader(bytes)
    (bytes[frame + 11], bytes[frame + 14], bytes[frame + 17]) = (luma, chroma, chroma)
    let outcome = try decode(bytes, width: 80, height: 48)
    #expect(outcome == .fault(.unsupported))
  }

  /// Where SOF0 begins.
  private func frameHeader(_ bytes: [UInt8]) -> Int {
    bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 }!
  }

  @Test func takesTheUsualHuffmanTablesWhereNoneAreSent() throws {
    let outcome = try decode(JPEGSample(lacksHuffmanTables: true))
    #expect(try outcome == decode(JPEGSample()))
    #expect(JPEGSample(lacksHuffmanTables: true).encoded().count < JPEGSample().encoded().count - 400)
  }

  @Test func keepsNothingOfEarlierFrames() throws {
    var decoder = try makeDecoder(width: 80, height: 48)
    let expected = try decode(JPEGSample())
    let others = [
      JPEGSample(), JPEGSample(lacksQuantizationTables: true), JPEGSample(components: 1, luma: (1, 1)),
      JPEGSample(luma: (1, 1)), JPEGSample(width: 88), JPEGSample(restartInterval: 3),
    ]
    for other in others + Self.unsupported {
      let outcome = decode(other.encoded(), with: &decoder)
      if other.lacksQuantizationTables { #expect(outcome == .fault(.damaged)) }
      #expect(decode(JPEGSample().encoded(), with: &decoder) == expected)
    }
  }

  @Test(arguments: [JPEGSample(), JPEGSample(luma: (2, 1)), JPEGSample(restartInterval: 2)])
  func refusesEveryTruncationThatLosesRows(sample: JPEGSample) throws {
    var decoder = try makeDecoder(width: sample.width, height: sample.height)
    let whole = sample.encoded()
    let outcomes = (0..<whole.count).map { decode(Array(whole[..<$0]), with: &decoder) }
    // Without EOI, or without the bits that fill the last byte up, the picture is the same.
    let end = try #require(outcomes.lastIndex(of: .fault(.incomplete)))
    #expect(end >= whole.count - 8)
    #expect(Set(outcomes[...end]) == [.fault(.incomplete)])
    #expect(Set(outcomes[(end + 1)...]) == [decode(whole, with: &decoder)])
  }

  /// 480 rows in 30 rows of macroblocks.
  @Test func judgesByTheRowsThatHaveData() throws {
    let sample = JPEGSample(width: 64, height: 96, restartInterval: 4)
    let whole = sample.encoded()
    let markers = whole.indices.dropLast().filter {
      whole[$0] == 0xFF && (0xD0...0xD7).contains(whole[$0 + 1])
    }
    #expect(markers.count == 5)
    var decoder = try makeDecoder(width: 64, height: 96)
    // The last of six rows of macroblocks lacks data: 16 of 96 rows.
    #expect(decode(Array(whole[..<(markers[4] + 2)]), with: &decoder) == .fault(.incomplete))
    let tall = JPEGSample(width: 32, height: 128, luma: (2, 1)).encoded()
    var tallDecoder = try makeDecoder(width: 32, height: 128)
    // The last eight rows of 128 do.
    guard case .picture = decode(Array(tall[..<(tall.count - 12)]), with: &tallDecoder) else {
      Issue.record("no picture")
      return
    }
  }

  @Test(arguments: [[UInt8](repeating: 0xFF, count: 64), [0xFF, 0xD8, 0xFF, 0xD9], [0xFF, 0xD8, 0xD9]])
  func refusesGarbage(bytes: [UInt8]) throws {
    guard case .fault = try decode(bytes, width: 16, height: 16) else {
      Issue.record("a picture")
      return
    }
  }

  /// Many cameras leave them.
  @Test func passesOverStrayBytes() throws {
    let whole = JPEGSample().encoded()
    let expected = try decode(JPEGSample())
    let (body, end) = (whole.dropLast(2), whole.suffix(2))
    for bytes in [body + [0, 0] + end, whole + [0, 0, 0xD9, 0], [0, 0xFF, 0xD8, 0] + whole, [0xFF, 0xD8] + whole] {
      let outcome = try decode(bytes, width: 80, height: 48)
      #expect(outcome == expected)
    }
  }

  @Test func refusesAPictureThatEndsEarly() throws {
    let whole = JPEGSample().encoded()
    let outcome = try decode(whole[..<(whole.count * 3 / 4)] + [0xFF, 0xD9], width: 80, height: 48)
    #expect(outcome == .fault(.incomplete))
  }

  /// A cut picture is passed over for the whole one behind it, wherever it was cut; a thumbnail is none.
  @Test func takesTheWholePictureBehindACutOne() throws {
    var decoder = try makeDecoder(width: 80, height: 48)
    let whole = JPEGSample().encoded()
    let expected = decode(whole, with: &decoder)
    for cut in 2..<whole.count - 8 {
      let outcome = decode(whole[..<cut] + whole, with: &decoder)
      if outcome != expected { Issue.record("cut at \(cut): \(outcome)") }
    }
    let two = whole[..<(whole.count / 2)] + whole[..<(whole.count / 2)]
    #expect(decode(Array(two), with: &decoder) == .fault(.incomplete))
  }

  @Test func survivesFlippedBits() throws {
    var decoder = try makeDecoder(width: 80, height: 48)
    let whole = JPEGSample(luma: (2, 1)).encoded()
    let expected = decode(whole, with: &decoder)
    var picture = I420Buffer(width: 80, height: 48)
    for bit in 0..<whole.count * 8 {
      var flipped = whole
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let frame = flipped
      do throws(PixelConversionError) { try decoder.decode(frame.span.bytes, into: &picture) } catch {}
    }
    #expect(decode(whole, with: &decoder) == expected)
  }

  /// By less than a macroblock: cropped, or padded with the last samples.
  @Test(arguments: [(80, 40), (72, 48), (66, 35), (95, 63), (81, 47), (88, 52)], samplings)
  func cropsAndPads(size: (Int, Int), sampling: (luma: (Int32, Int32), chroma: (Int32, Int32))) throws {
    let sample = JPEGSample(width: size.0, height: size.1, luma: sampling.luma, chroma: sampling.chroma)
    guard case .picture(let samples) = try decode(sample.encoded(), width: 80, height: 48) else {
      Issue.record("no picture")
      return
    }
    let positions = (0..<48).flatMap { y in (0..<80).map { (min($0, size.0 - 1), min(y, size.1 - 1)) } }
    let luma = positions.map { narrowed(sample.luma($0, $1), by: 219) }
    #expect(zip(samples, luma).map { abs(Int($0) - $1) }.max()! <= 5)
    let chroma = (0..<24).flatMap { y in (0..<40).map { (min(2 * $0, size.0 - 1), min(2 * y, size.1 - 1)) } }
    let expected =
      chroma.map { narrowed(sample.u($0, $1), by: 224) } + chroma.map { narrowed(sample.v($0, $1), by: 224) }
    #expect(zip(samples[3_840...], expected).map { abs(Int($0) - $1) }.max()! <= 6)
  }

  @Test(arguments: [(80, 32), (64, 48), (96, 48), (48, 80), (65_500, 65_500)]) func refusesOtherSizes(size: (Int, Int))
    throws
  {
    var bytes = JPEGSample().encoded()
    let frame = frameHeader(bytes)
    for (offset, length) in [(5, size.1), (7, size.0)] {
      bytes[frame + offset] = UInt8(length >> 8)
      bytes[frame + offset + 1] = UInt8(length & 0xFF)
    }
    let outcome = try decode(bytes, width: 80, height: 48)
    #expect(outcome == .fault(.otherSize(width: size.0, height: size.1)))
  }

  @Test(arguments: [0, -1, 65_501, Int.max]) func isNotMadeForSizesThatJPEGLacks(length: Int) {
    let isMade = JPEGDecoder(width: length, height: 16) != nil || JPEGDecoder(width: 16, height: length) != nil
    #expect(!isMade)
  }

  @Test(.enabled(if: callocation_count() >= 0), arguments: supported.prefix(15) + unsupported)
  func allocatesNothing(sample: JPEGSample) throws {
    var decoder = try makeDecoder(width: sample.width, height: sample.height)
    var picture = I420Buffer(width: sample.width, height: sample.height)
    let whole = sample.encoded()
    let frames = [whole, Array(whole[..<(whole.count / 2)]) + [0xFF, 0xD9], Array(whole[..<(whole.count / 3)])]
    var faults = 0
    let before = callocation_count()
    for index in 0..<30 {
      let frame = frames[index % 3]
      do throws(PixelConversionError) { try decoder.decode(frame.span.bytes, into: &picture) } catch { faults += 1 }
    }
    // The testing library keeps a note of each error that is thrown.
    let count = callocation_count() - before - faults
    #expect(count == 0)
  }
}

/// JPEGs of other makers than libjpeg.
@Suite struct ForeignJPEGTests {
  /// A 16×16 picture of colour 4080C0 as ffmpeg's MJPEG encoder writes it.
  private static let ffmpeg = Data(
    base64Encoded: """
      /9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgEBAQEBAUFBQUFBQYGBgYGBgYGBgYGBgYHBwcICAgHBwcGBgcHCAgI\
      CAkJCQgICAgJCQoKCgwMCwsODg4RERT/xABLAAEBAAAAAAAAAAAAAAAAAAAABAEBAAAAAAAAAAAAAAAAAAAABhABAAAAAAAAAAAAAAAAAAAAABEB\
      AAAAAAAAAAAAAAAAAAAAAP/AABEIABAAEAMBIgACEQADEQD/2gAMAwEAAhEDEQA/AIwCsZf/2Q==
      """)!

  @Test func hasTheColours() throws {
    guard case .picture(let samples) = try decode([UInt8](Self.ffmpeg), width: 16, height: 16) else {
      Issue.record("no picture")
      return
    }
    for (plane, expected) in [(samples[..<256], 116), (samples[256..<320], 166), (samples[320...], 95)] {
      #expect(plane.allSatisfy { abs(Int($0) - expected) <= 3 })
    }
  }

  /// Each sample is two bytes for the fuzzer, then a picture with colour bars.
  @Test(arguments: ["420", "422", "grey", "ffmpeg-422", "ffmpeg-444", "without-tables"])
  func showsBars(name: String) throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let sample = try Data(contentsOf: tests.appending(path: "Fuzz/corpus/JPEG/\(name)"))
    guard case .picture(let samples) = try decode([UInt8](sample.dropFirst(2)), width: 32, height: 16) else {
      Issue.record("no picture")
      return
    }
    let row = samples[64..<96]
    #expect(row.max()! - row.min()! > 80)
  }
}

/// Frames as cameras in the field have sent them.
@Suite("JPEGs from the field") struct FieldJPEGTests {
  private static func frame(_ name: String) throws -> [UInt8] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try [UInt8](Data(contentsOf: tests.appending(path: "Fixtures/MJPEG/\(name).jpg")))
  }

  @Test(arguments: [
    "four-bytes-before-640x480", "two-soi-after-app0-640x480", "two-soi-in-scan-640x480", "no-eoi-640x480",
    "no-huffman-tables-avi1-640x480",
  ]) func areDecodedAsTheGoodOne(name: String) throws {
    var decoder = try makeDecoder(width: 640, height: 480)
    let expected = decode(try Self.frame("good-640x480"), with: &decoder)
    guard case .picture = expected else {
      Issue.record("no picture")
      return
    }
    #expect(decode(try Self.frame(name), with: &decoder) == expected)
  }

  @Test func of1088RowsAreCropped() throws {
    let frame = try Self.frame("mode-1920x1080-picture-1920x1088")
    guard case .picture(let cropped) = try decode(frame, width: 1_920, height: 1_080),
      case .picture(let whole) = try decode(frame, width: 1_920, height: 1_088)
    else {
      Issue.record("no picture")
      return
    }
    #expect(cropped.prefix(1_920 * 1_080) == whole.prefix(1_920 * 1_080))
  }
}
