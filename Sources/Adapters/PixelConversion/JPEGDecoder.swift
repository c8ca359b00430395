internal import CPixels
public import MediaCore

/// Why a JPEG was not decoded.
public enum JPEGFault: Error, Hashable, Sendable {
  /// Its beginning is missing, or data are missing or wrong in more than one row of eight.
  case incomplete
  /// Its image differs from the camera's size by a macroblock or more; none of it was decoded.
  case otherSize(width: Int, height: Int)
  /// Progressive, in several scans, arithmetic coding, colours that are not YCbCr, or a sampling that no camera has.
  case unsupported
  /// libjpeg refused it.
  case damaged
}

/// Decodes the JPEGs of one camera into I420 with libjpeg-turbo, for any chroma sampling. Use from one thread
/// at a time.
///
/// Takes what cameras send: without Huffman tables (ITU-T T.81 K.3 has those that are meant), without EOI, with bytes before
/// the first SOI, with an image that was cut off in front of a whole one, with stray bytes. An image whose size differs
/// by less than a macroblock (1088 rows for 1080) is cropped or padded. Allocates only when made.
public struct JPEGDecoder: ~Copyable {
  public let width: Int
  public let height: Int
  private let decoder: OpaquePointer

  /// - Parameters:
  ///   - width: of the images that are taken, up to 65,500.
  ///   - height: likewise.
  /// - Returns: nil for other sizes, when memory is short, and where libjpeg is not of the version that this was built
  ///   for.
  public init?(width: Int, height: Int) {
    guard let decoder = cjpeg_create(UInt32(clamping: width), UInt32(clamping: height)) else { return nil }
    self.decoder = decoder
    self.width = width
    self.height = height
  }

  deinit { cjpeg_destroy(decoder) }

  /// Decodes `frame` into the whole of `target`, which has the decoder's size, and brings its samples to the range that
  /// VP8 decoders expect.
  ///
  /// After a fault `target` may hold parts of an image.
  public mutating func decode(_ frame: RawSpan, into target: inout I420Buffer) throws(PixelConversionError) {
    precondition(target.width == width && target.height == height)
    let strides = (target.yStride, target.chromaStride)
    var found = cjpeg_size()
    let status = frame.withUnsafeBytes { bytes in
      target.withUnsafeMutablePlanes { y, u, v in
        let image = cjpeg_image(y: y, u: u, v: v, y_stride: strides.0, chroma_stride: strides.1)
        let frame = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return cjpeg_decode(decoder, frame, bytes.count, image, &found)
      }
    }
    if let fault = JPEGFault(status, found) { throw .undecodable(fault) }
    target.narrowRange()
  }
}

extension JPEGFault {
  /// Nil for success.
  fileprivate init?(_ status: cjpeg_status, _ found: cjpeg_size) {
    switch status {
    case CJPEG_DECODED: return nil
    case CJPEG_INCOMPLETE: self = .incomplete
    case CJPEG_OTHER_SIZE: self = .otherSize(width: Int(found.width), height: Int(found.height))
    case CJPEG_UNSUPPORTED: self = .unsupported
    default: self = .damaged
    }
  }
}
