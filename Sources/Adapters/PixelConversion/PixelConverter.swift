internal import CPixels
public import MediaCore

/// A captured frame could not be turned into I420.
public enum PixelConversionError: Error, Equatable, Sendable {
  /// The frame has fewer bytes than its size and row length need.
  case shortFrame(needed: Int, has: Int)
  /// Rows of this many bytes cannot hold the frame's width.
  case shortRows(needed: Int, has: Int)
  /// libyuv refused the frame.
  case refused(PixelFormat, code: Int32)
  /// A JPEG could not be decoded.
  case undecodable(JPEGFault)
}

/// Turns captured frames of uncompressed formats into I420 with libyuv's vector code. Allocates nothing.
///
/// ``JPEGDecoder`` does the same with JPEG.
public enum PixelConverter {
  /// Converts `frame` into the whole of `target`, whose size the frame must have.
  ///
  /// - Parameters:
  ///   - format: any but `mjpeg`.
  ///   - bytesPerLine: of the first plane; chroma planes follow it without gaps, as V4L2's single-planar formats are
  ///     defined.
  ///   - isFullRange: whether YUV samples use all 256 values; they are brought to the range that VP8 decoders expect.
  ///     RGB has none.
  public static func convert(
    _ frame: RawSpan, format: PixelFormat, bytesPerLine: Int, isFullRange: Bool = false, into target: inout I420Buffer
  ) throws(PixelConversionError) {
    try check(frame, format, bytesPerLine, target.width, target.height)
    let layout = Layout(target, bytesPerLine: bytesPerLine)
    let status = frame.withUnsafeBytes { bytes in
      let source = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      return target.withUnsafeMutablePlanes { y, u, v in
        Planes(y: y, u: u, v: v, layout: layout).convert(source, format: format)
      }
    }
    guard status == 0 else { throw .refused(format, code: status) }
    if isFullRange, !format.isRGB { target.narrowRange() }
  }

  private static func check(
    _ frame: RawSpan, _ format: PixelFormat, _ bytesPerLine: Int, _ width: Int, _ height: Int
  ) throws(PixelConversionError) {
    let row = format.shortestRow(width: width)
    guard bytesPerLine >= row else { throw .shortRows(needed: row, has: bytesPerLine) }
    guard let needed = format.byteCount(bytesPerLine: bytesPerLine, height: height) else {
      preconditionFailure("\(format) is compressed")
    }
    guard frame.byteCount >= needed else { throw .shortFrame(needed: needed, has: frame.byteCount) }
  }
}

extension PixelFormat {
  fileprivate var isRGB: Bool { self == .rgb24 || self == .bgr24 }
}

/// Sizes of source and target in libyuv's integers.
private struct Layout {
  let width: Int32
  let height: Int32
  let sourceStride: Int32
  let yStride: Int32
  let chromaStride: Int32

  init(_ target: borrowing I420Buffer, bytesPerLine: Int) {
    width = Int32(target.width)
    height = Int32(target.height)
    sourceStride = Int32(clamping: bytesPerLine)
    yStride = Int32(target.yStride)
    chromaStride = Int32(target.chromaStride)
  }

  var sourceChromaStride: Int32 { (sourceStride + 1) / 2 }
  var lumaBytes: Int { Int(sourceStride) * Int(height) }
  var chromaBytes: Int { Int(sourceChromaStride) * Int((height + 1) / 2) }
}

/// The target of one conversion. Every function returns 0 when it succeeds.
private struct Planes {
  let y: UnsafeMutablePointer<UInt8>
  let u: UnsafeMutablePointer<UInt8>
  let v: UnsafeMutablePointer<UInt8>
  let layout: Layout

  func convert(_ source: UnsafePointer<UInt8>, format: PixelFormat) -> Int32 {
    switch format {
    case .yu12: copyPlanar(source, isChromaSwapped: false)
    case .yv12: copyPlanar(source, isChromaSwapped: true)
    case .nv12: splitChroma(source, isChromaSwapped: false)
    case .nv21: splitChroma(source, isChromaSwapped: true)
    case .yuyv, .uyvy: unpack422(source, format)
    case .rgb24, .bgr24: convertRGB(source, format)
    case .mjpeg: preconditionFailure("a JPEGDecoder takes these")
    }
  }

  private func copyPlanar(_ source: UnsafePointer<UInt8>, isChromaSwapped: Bool) -> Int32 {
    let first = source + layout.lumaBytes
    let second = first + layout.chromaBytes
    return I420Copy(
      source, layout.sourceStride, isChromaSwapped ? second : first, layout.sourceChromaStride,
      isChromaSwapped ? first : second, layout.sourceChromaStride, y, layout.yStride, u, layout.chromaStride, v,
      layout.chromaStride, layout.width, layout.height)
  }

  private func splitChroma(_ source: UnsafePointer<UInt8>, isChromaSwapped: Bool) -> Int32 {
    NV12ToI420(
      source, layout.sourceStride, source + layout.lumaBytes, layout.sourceStride, y, layout.yStride,
      isChromaSwapped ? v : u, layout.chromaStride, isChromaSwapped ? u : v, layout.chromaStride, layout.width,
      layout.height)
  }

  private func unpack422(_ source: UnsafePointer<UInt8>, _ format: PixelFormat) -> Int32 {
    format == .yuyv
      ? YUY2ToI420(
        source, layout.sourceStride, y, layout.yStride, u, layout.chromaStride, v, layout.chromaStride, layout.width,
        layout.height)
      : UYVYToI420(
        source, layout.sourceStride, y, layout.yStride, u, layout.chromaStride, v, layout.chromaStride, layout.width,
        layout.height)
  }
}

// MARK: - RGB

extension Planes {
  private static var tileWidth: Int32 { 1_024 }
  private static var tileStride: Int32 { tileWidth * 4 }

  /// Two rows at a time through a tile of ARGB on the stack: libyuv's functions for the whole frame do the same, but
  /// allocate the rows between for each frame.
  private func convertRGB(_ source: UnsafePointer<UInt8>, _ format: PixelFormat) -> Int32 {
    var tile = InlineArray<8_192, UInt8>(repeating: 0)
    var span = tile.mutableSpan
    return span.withUnsafeMutableBufferPointer { tile in
      let tile = tile.baseAddress!
      for row in stride(from: 0, to: layout.height, by: 2) {
        for column in stride(from: 0, to: layout.width, by: Int(Self.tileWidth)) {
          let status = convertRGB(source, format, row: row, column: column, tile)
          guard status == 0 else { return status }
        }
      }
      return 0
    }
  }

  /// libyuv names packed formats by the order of a little-endian word: its RAW is R G B in memory.
  private func convertRGB(
    _ source: UnsafePointer<UInt8>, _ format: PixelFormat, row: Int32, column: Int32,
    _ tile: UnsafeMutablePointer<UInt8>
  ) -> Int32 {
    let width = min(Self.tileWidth, layout.width - column)
    let height = min(2, layout.height - row)
    let from = source + Int(row) * Int(layout.sourceStride) + Int(column) * 3
    let status =
      format == .rgb24
      ? RAWToARGB(from, layout.sourceStride, tile, Self.tileStride, width, height)
      : RGB24ToARGB(from, layout.sourceStride, tile, Self.tileStride, width, height)
    guard status == 0 else { return status }
    let chroma = Int(row / 2) * Int(layout.chromaStride) + Int(column / 2)
    return ARGBToI420(
      tile, Self.tileStride, y + Int(row) * Int(layout.yStride) + Int(column), layout.yStride, u + chroma,
      layout.chromaStride, v + chroma, layout.chromaStride, width, height)
  }
}
