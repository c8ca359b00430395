internal import CYUV
public import MediaCore

/// A captured frame could not be turned into I420.
public enum PixelConversionError: Error, Equatable, Sendable {
  /// The frame has fewer bytes than its size and row length need.
  case shortFrame(needed: Int, has: Int)
  /// libyuv refused the frame: for MJPEG, damaged or of another size.
  case undecodable(PixelFormat, code: Int32)
}

/// Turns captured frames into I420 with libyuv's vector code.
///
/// Nothing allocates, with two exceptions inside libyuv: the RGB formats take a row of temporary memory for each frame,
/// and each MJPEG frame sets up libjpeg anew.
public enum PixelConverter {
  /// Converts `frame` into the whole of `target`, whose size the frame must have.
  ///
  /// - Parameter bytesPerLine: of the first plane; chroma planes follow it without gaps, as V4L2's single-planar
  ///   formats are defined. Ignored for MJPEG.
  public static func convert(
    _ frame: RawSpan, format: PixelFormat, bytesPerLine: Int, into target: inout I420Buffer
  ) throws(PixelConversionError) {
    let needed = format.byteCount(bytesPerLine: bytesPerLine, height: target.height) ?? 1
    guard frame.byteCount >= needed else {
      throw .shortFrame(needed: needed, has: frame.byteCount)
    }
    let layout = Layout(target, bytesPerLine: bytesPerLine)
    let status = frame.withUnsafeBytes { bytes in
      let source = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      return target.withUnsafeMutablePlanes { y, u, v in
        let planes = Planes(y: y, u: u, v: v, layout: layout)
        return format == .mjpeg
          ? planes.decodeJPEG(source, count: bytes.count) : planes.convert(source, format: format)
      }
    }
    guard status == 0 else { throw .undecodable(format, code: status) }
  }
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
    sourceStride = Int32(bytesPerLine)
    yStride = Int32(target.yStride)
    chromaStride = Int32(target.chromaStride)
  }

  var sourceChromaStride: Int32 { (sourceStride + 1) / 2 }
  var lumaBytes: Int { Int(sourceStride) * Int(height) }
  var chromaBytes: Int { Int(sourceChromaStride) * Int((height + 1) / 2) }
}

/// The target of one conversion.
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
    case .mjpeg: -1
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

  /// libyuv names packed formats by the order of a little-endian word: its RAW is R G B in memory.
  private func convertRGB(_ source: UnsafePointer<UInt8>, _ format: PixelFormat) -> Int32 {
    format == .rgb24
      ? RAWToI420(
        source, layout.sourceStride, y, layout.yStride, u, layout.chromaStride, v, layout.chromaStride, layout.width,
        layout.height)
      : RGB24ToI420(
        source, layout.sourceStride, y, layout.yStride, u, layout.chromaStride, v, layout.chromaStride, layout.width,
        layout.height)
  }

  func decodeJPEG(_ source: UnsafePointer<UInt8>, count: Int) -> Int32 {
    MJPGToI420(
      source, count, y, layout.yStride, u, layout.chromaStride, v, layout.chromaStride, layout.width, layout.height,
      layout.width, layout.height)
  }
}
