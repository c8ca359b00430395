internal import CJPEG
public import MediaCore

/// Why no picture was made of a JPEG.
public enum JPEGFault: Error, Hashable, Sendable {
  /// Its beginning or its end is missing, or it has fewer data than its picture needs.
  case incomplete
  /// Its picture is not of the camera's size; none of it was decoded.
  case otherSize
  /// Progressive, in several scans, arithmetic coding, colours that are not YCbCr, or a sampling that no camera has.
  case unsupported
  /// libjpeg refused it.
  case damaged
}

/// Decodes the JPEGs of one camera into I420 with libjpeg-turbo, whatever their chroma sampling is. Use from one thread
/// at a time.
///
/// Cameras with MJPEG may leave the Huffman tables out (ITU-T T.81 K.3 has those that are meant). Data that are wrong but
/// can be passed over make no fault, since many cameras leave stray bytes. Allocates only when made.
public struct JPEGDecoder: ~Copyable {
  public let width: Int
  public let height: Int
  private let decoder: OpaquePointer

  /// - Parameters:
  ///   - width: of the pictures that are taken, up to 65,500.
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
  /// After a fault `target` may hold parts of a picture.
  public mutating func decode(_ frame: RawSpan, into target: inout I420Buffer) throws(PixelConversionError) {
    precondition(target.width == width && target.height == height)
    let strides = (target.yStride, target.chromaStride)
    let status = frame.withUnsafeBytes { bytes in
      target.withUnsafeMutablePlanes { y, u, v in
        let picture = cjpeg_picture(y: y, u: u, v: v, y_stride: strides.0, chroma_stride: strides.1)
        return cjpeg_decode(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, picture)
      }
    }
    if let fault = JPEGFault(status) { throw .undecodable(fault) }
    target.narrowRange()
  }
}

extension JPEGFault {
  /// Nil for a picture.
  fileprivate init?(_ status: cjpeg_status) {
    switch status {
    case CJPEG_DECODED: return nil
    case CJPEG_INCOMPLETE: self = .incomplete
    case CJPEG_OTHER_SIZE: self = .otherSize
    case CJPEG_UNSUPPORTED: self = .unsupported
    default: self = .damaged
    }
  }
}
