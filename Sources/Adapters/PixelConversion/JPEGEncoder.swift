internal import CPixels
public import MediaCore

/// Encodes single frames as JPEG with libjpeg-turbo, for viewing.
public enum JPEGEncoder {
  /// A baseline JPEG (JFIF) with chroma of half the size; nil when memory is short, and for a size that JPEG does not
  /// have.
  ///
  /// - Parameter quality: 1 to 100.
  public static func encode(_ frame: borrowing I420Buffer, quality: Int = 85) -> [UInt8]? {
    let view = frame.view
    var size = 0
    let bytes = view.y.withUnsafeBytes { y in
      view.u.withUnsafeBytes { u in
        view.v.withUnsafeBytes { v in
          var source = cjpeg_source(
            width: UInt32(clamping: view.width), height: UInt32(clamping: view.height), y: samples(y), u: samples(u),
            v: samples(v), y_stride: view.yStride, chroma_stride: view.chromaStride)
          return cjpeg_encode(&source, Int32(clamping: min(max(quality, 1), 100)), &size)
        }
      }
    }
    guard let bytes else { return nil }
    defer { cjpeg_encode_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: size))
  }

  private static func samples(_ plane: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
    plane.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}
