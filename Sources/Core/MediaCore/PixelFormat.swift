/// Uncompressed and intra-only frame layouts that capture devices deliver, in the order of how little work
/// it is to turn them into I420.
public enum PixelFormat: UInt8, Sendable, Hashable, CaseIterable {
  /// Planar 4:2:0, planes Y, U, V: I420 itself.
  case yu12
  /// Planar 4:2:0, planes Y, V, U.
  case yv12
  /// 4:2:0, a Y plane and one of interleaved U and V.
  case nv12
  /// 4:2:0, a Y plane and one of interleaved V and U.
  case nv21
  /// Packed 4:2:2, bytes Y U Y V.
  case yuyv
  /// Packed 4:2:2, bytes U Y V Y.
  case uyvy
  /// Packed, bytes R G B.
  case rgb24
  /// Packed, bytes B G R.
  case bgr24
  /// One JPEG image a frame.
  case mjpeg

  /// Bytes that a row of the first plane has at least, 0 for compressed formats.
  public func shortestRow(width: Int) -> Int {
    switch self {
    case .yu12, .yv12: width
    case .nv12, .nv21: (width + 1) / 2 * 2
    case .yuyv, .uyvy: (width + 1) / 2 * 4
    case .rgb24, .bgr24: width * 3
    case .mjpeg: 0
    }
  }

  /// Bytes of a frame whose first plane has rows of `bytesPerLine`, or nil for compressed formats.
  ///
  /// Drivers and files report both lengths; a frame of more bytes than possible is clamped to the maximum.
  public func byteCount(bytesPerLine: Int, height: Int) -> Int? {
    let luma = bytesPerLine.saturatingMultiplied(by: height)
    // In rows as long as the first plane's, of which two of a quarter of the frame lie side by side.
    let chromaRows = height / 2 + height % 2
    switch self {
    case .yu12, .yv12:
      let chromaRow = bytesPerLine.saturatingAdding(bytesPerLine % 2)
      return luma.saturatingAdding(chromaRow.saturatingMultiplied(by: chromaRows))
    case .nv12, .nv21: return luma.saturatingAdding(bytesPerLine.saturatingMultiplied(by: chromaRows))
    case .yuyv, .uyvy, .rgb24, .bgr24: return luma
    case .mjpeg: return nil
    }
  }
}
