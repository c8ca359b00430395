internal import CVPX
public import MediaCore

/// A VP8 decoder. Use from one thread at a time.
public struct VP8Decoder: ~Copyable {
  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>

  public init() throws(VPXError) {
    context = .allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    try VPXError.check(cvpx_vp8_decoder_init(context), "vpx_codec_dec_init")
  }

  deinit {
    vpx_codec_destroy(context)
    context.deallocate()
  }

  /// Decodes one frame and lends the image to `body`, which is valid only during the call.
  ///
  /// - Returns: false when the frame shows no image.
  @discardableResult
  public mutating func decode(_ frame: RawSpan, _ body: (borrowing I420View) -> Void) throws(VPXError) -> Bool {
    let status = frame.withUnsafeBytes { bytes in
      vpx_codec_decode(
        context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count), nil, 0)
    }
    try VPXError.check(status, "vpx_codec_decode")
    var iterator: vpx_codec_iter_t?
    guard let image = vpx_codec_get_frame(context, &iterator) else { return false }
    lend(image.pointee, to: body)
    return true
  }

  private func lend(_ image: vpx_image_t, to body: (borrowing I420View) -> Void) {
    let width = Int(image.d_w)
    let height = Int(image.d_h)
    let chroma = Int(image.stride.1) * ((height + 1) / 2 - 1) + (width + 1) / 2
    let luma = Int(image.stride.0) * (height - 1) + width
    body(
      I420View(
        width: width, height: height, y: UnsafeRawBufferPointer(start: image.planes.0, count: luma).bytes,
        u: UnsafeRawBufferPointer(start: image.planes.1, count: chroma).bytes,
        v: UnsafeRawBufferPointer(start: image.planes.2, count: chroma).bytes, yStride: Int(image.stride.0),
        chromaStride: Int(image.stride.1)))
  }
}
