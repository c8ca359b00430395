import CTestSupport
import MediaCore
import PixelConversion
import Testing

/// A picture given by functions of the position, laid out in each format.
private struct Model {
  let width: Int
  let height: Int
  /// Rows of the first plane are this much longer than the pixels need.
  var padding = 0

  func luma(_ x: Int, _ y: Int) -> UInt8 { UInt8(30 + (x * 5 + y * 7) % 190) }
  func u(_ x: Int, _ y: Int) -> UInt8 { UInt8(40 + (x / 2 * 3 + y / 2) % 150) }
  func v(_ x: Int, _ y: Int) -> UInt8 { UInt8(60 + (x / 2 + y / 2 * 3) % 150) }

  func bytesPerLine(_ format: PixelFormat) -> Int {
    switch format {
    case .yuyv, .uyvy: width * 2 + padding
    case .rgb24, .bgr24: width * 3 + padding
    default: width + padding
    }
  }

  func bytes(_ format: PixelFormat) -> [UInt8] {
    switch format {
    case .yuyv: packed { [luma($0, $1), u($0, $1), luma($0 + 1, $1), v($0, $1)] }
    case .uyvy: packed { [u($0, $1), luma($0, $1), v($0, $1), luma($0 + 1, $1)] }
    case .nv12: plane(1, luma) + chroma { [u($0, $1), v($0, $1)] }
    case .nv21: plane(1, luma) + chroma { [v($0, $1), u($0, $1)] }
    case .yu12: plane(1, luma) + plane(2, u) + plane(2, v)
    case .yv12: plane(1, luma) + plane(2, v) + plane(2, u)
    default: []
    }
  }

  private func plane(_ step: Int, _ sample: (Int, Int) -> UInt8) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: padding / step)
    return stride(from: 0, to: height, by: step).flatMap { y in
      stride(from: 0, to: width, by: step).map { sample($0, y) } + padding
    }
  }

  private func chroma(_ pair: (Int, Int) -> [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: padding)
    return stride(from: 0, to: height, by: 2).flatMap { y in
      stride(from: 0, to: width, by: 2).flatMap { pair($0, y) } + padding
    }
  }

  private func packed(_ quad: (Int, Int) -> [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: padding)
    return (0..<height).flatMap { y in
      stride(from: 0, to: width, by: 2).flatMap { quad($0, y) } + padding
    }
  }

  /// How many samples of a picture differ from this model.
  func differences(_ picture: borrowing I420Buffer) -> Int {
    var count = 0
    let view = picture.view
    for y in 0..<height {
      for x in 0..<width where view.luma(x: x, y: y) != luma(x, y) { count += 1 }
    }
    for y in stride(from: 0, to: height, by: 2) {
      for x in stride(from: 0, to: width, by: 2) {
        let offset = y / 2 * view.chromaStride + x / 2
        if view.u.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != u(x, y) { count += 1 }
        if view.v.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != v(x, y) { count += 1 }
      }
    }
    return count
  }
}

@Suite struct PixelConverterTests {
  @Test(arguments: [PixelFormat.yuyv, .uyvy, .nv12, .nv21, .yu12, .yv12], [0, 32])
  func convertsExactly(format: PixelFormat, padding: Int) throws {
    let model = Model(width: 70, height: 34, padding: padding)
    var picture = I420Buffer(width: 70, height: 34)
    let bytes = model.bytes(format)
    try PixelConverter.convert(
      bytes.span.bytes, format: format, bytesPerLine: model.bytesPerLine(format), into: &picture)
    let differences = model.differences(picture)
    #expect(differences == 0)
  }

  @Test(arguments: [
    (PixelFormat.rgb24, [UInt8(255), 0, 0]), (.bgr24, [UInt8(0), 0, 255]),
  ])
  func convertsRedTo601(format: PixelFormat, red: [UInt8]) throws {
    var picture = I420Buffer(width: 64, height: 32)
    let bytes = (0..<64 * 32).flatMap { _ in red }
    try PixelConverter.convert(bytes.span.bytes, format: format, bytesPerLine: 64 * 3, into: &picture)
    let isRight = isNear(picture, y: 82, u: 90, v: 240, tolerance: 3)
    #expect(isRight)
  }

  private func isNear(_ picture: borrowing I420Buffer, y: Int, u: Int, v: Int, tolerance: Int) -> Bool {
    let view = picture.view
    let offset = 3 * view.chromaStride + 5
    return abs(Int(view.luma(x: 10, y: 10)) - y) <= tolerance
      && abs(Int(view.u.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) - u) <= tolerance
      && abs(Int(view.v.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) - v) <= tolerance
  }

  @Test func refusesAShortFrame() throws {
    var picture = I420Buffer(width: 64, height: 32)
    var failure: PixelConversionError?
    let bytes = [UInt8](repeating: 0, count: 64 * 32 * 2 - 1)
    do {
      try PixelConverter.convert(bytes.span.bytes, format: .yuyv, bytesPerLine: 128, into: &picture)
    } catch {
      failure = error
    }
    #expect(failure == .shortFrame(needed: 4_096, has: 4_095))
  }

  @Test func takesOddSizes() throws {
    var picture = I420Buffer(width: 33, height: 17)
    let bytes = [UInt8](repeating: 77, count: PixelFormat.nv12.byteCount(bytesPerLine: 34, height: 17)!)
    try PixelConverter.convert(bytes.span.bytes, format: .nv12, bytesPerLine: 34, into: &picture)
    let corner = picture.view.luma(x: 32, y: 16)
    #expect(corner == 77)
  }

  /// A frame of grey in which nothing is missing, with rows of an odd length where the format permits that.
  private func greyFrame(_ format: PixelFormat, width: Int, height: Int) -> (bytes: [UInt8], bytesPerLine: Int) {
    let bytesPerLine = Model(width: (width + 1) / 2 * 2, height: height, padding: 1).bytesPerLine(format)
    let count = format.byteCount(bytesPerLine: bytesPerLine, height: height)!
    return ([UInt8](repeating: 128, count: count), bytesPerLine)
  }

  @Test(
    .enabled(if: callocation_count() >= 0), arguments: PixelFormat.allCases.filter { $0 != .mjpeg },
    [(320, 180), (1_921, 17)])
  func allocatesNothing(format: PixelFormat, size: (Int, Int)) throws {
    var picture = I420Buffer(width: size.0, height: size.1)
    let (bytes, bytesPerLine) = greyFrame(format, width: size.0, height: size.1)
    var before = 0
    for index in 0..<20 {
      if index == 2 { before = callocation_count() }
      try PixelConverter.convert(
        bytes.span.bytes, format: format, bytesPerLine: bytesPerLine, isFullRange: index % 2 == 1, into: &picture)
    }
    let count = callocation_count() - before
    #expect(count == 0)
  }

  @Test(arguments: [PixelFormat.rgb24, .bgr24]) func convertsWideRGBWithoutSeams(format: PixelFormat) throws {
    let (width, height) = (2_051, 7)
    let bytesPerLine = width * 3 + 5
    var bytes = [UInt8](repeating: 0, count: bytesPerLine * height)
    for y in 0..<height {
      for x in 0..<width {
        for colour in 0..<3 { bytes[y * bytesPerLine + x * 3 + colour] = UInt8((x / 8 + y * 5) % 256) }
      }
    }
    var picture = I420Buffer(width: width, height: height)
    try PixelConverter.convert(bytes.span.bytes, format: format, bytesPerLine: bytesPerLine, into: &picture)
    var farthest = 0
    for y in 0..<height {
      for x in 0..<width {
        let grey = (x / 8 + y * 5) % 256
        farthest = max(farthest, abs(Int(picture.view.luma(x: x, y: y)) - (16 + grey * 219 / 255)))
      }
    }
    #expect(farthest <= 2)
  }

  @Test func bringsFullRangeToVideoRange() throws {
    var picture = I420Buffer(width: 64, height: 2)
    for (full, luma, chroma) in [(0, 16, 16), (128, 126, 128), (255, 235, 240)] {
      let bytes = [UInt8](repeating: UInt8(full), count: 64 * 3)
      try PixelConverter.convert(
        bytes.span.bytes, format: .yu12, bytesPerLine: 64, isFullRange: true, into: &picture)
      let (y, u) = (picture.view.luma(x: 63, y: 1), picture.view.u.unsafeLoad(fromByteOffset: 31, as: UInt8.self))
      #expect(y == luma)
      #expect(u == chroma)
    }
  }

  @Test(arguments: PixelFormat.allCases.filter { $0 != .mjpeg }) func refusesShortRows(format: PixelFormat) {
    var picture = I420Buffer(width: 33, height: 4)
    let least = Model(width: format == .rgb24 || format == .bgr24 ? 33 : 34, height: 4).bytesPerLine(format)
    let bytes = [UInt8](repeating: 0, count: 4_096)
    var failure: PixelConversionError?
    do {
      try PixelConverter.convert(bytes.span.bytes, format: format, bytesPerLine: least - 2, into: &picture)
    } catch {
      failure = error
    }
    let needed = format == .yu12 || format == .yv12 ? 33 : least
    #expect(failure == .shortRows(needed: needed, has: least - 2))
  }
}
