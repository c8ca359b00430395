internal import CVPX
public import MediaCore

/// Describes an encoded VP8 frame.
public struct VP8FrameInfo: Sendable, Hashable {
  public var isKeyFrame: Bool
  public var temporalLayer: UInt8
  /// It refers to frames of lower layers only.
  public var isLayerSync: Bool
  /// No other frame refers to it.
  public var isDiscardable: Bool
}

/// A real-time VP8 encoder: constant bit rate, error resilient, no look-ahead.
///
/// libvpx allocates when the encoder is made and, at most, when the first frames pass; never after. Use from one
/// thread at a time: libvpx locks nothing.
public struct VP8Encoder: ~Copyable {
  public let settings: VP8EncoderSettings
  /// The rate in force.
  public private(set) var bitrate: Bitrate
  /// Room for the tokens of the worst frame that libvpx had cleared, and that was given back to the kernel: 6 kB a
  /// macroblock; 0 where it was not found.
  public private(set) var releasedBytes = 0
  /// The longest gap between encoded frames that counts: its bits may all be spent on the next one.
  public var longestGap = usualLongestGap
  public static let usualLongestGap = TimeSpan.seconds(1)

  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private let configuration: UnsafeMutablePointer<vpx_codec_enc_cfg_t>
  private let pattern: TemporalPattern
  private var lastTicks: Int64 = -1
  private var lastTimestamp: MonotonicInstant?
  private var lastKeyFrame: MonotonicInstant?
  private var framesSinceKeyFrame = 0
  /// A frame of layer 1 was encoded since the last one of the base.
  private var hasMiddleFrame = false
  /// Nil where frames are not to be repeated.
  private let repetition: RepeatFrame?
  /// Whether the last frame of the base layer used segments; nil: it cannot be repeated.
  private var repeatsSegmented: Bool?
  private var quantizers: ClosedRange<Int>

  public init(_ settings: VP8EncoderSettings) throws(VPXError) {
    self.settings = settings
    bitrate = settings.bitrate
    quantizers = VP8EncoderSettings.usualQuantizers
    repetition = settings.repeatsFrames ? RepeatFrame(width: settings.width, height: settings.height) : nil
    pattern = TemporalPattern(layers: settings.temporalLayers)
    context = .allocate(capacity: 1)
    configuration = .allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    configuration.initialize(to: vpx_codec_enc_cfg_t())
    try VPXError.check(cvpx_vp8_encoder_defaults(configuration), "vpx_codec_enc_config_default")
    settings.apply(to: &configuration.pointee)
    try VPXError.check(cvpx_vp8_encoder_init(context, configuration), "vpx_codec_enc_init")
    releasedBytes = cvpx_release_untouched(context, UInt32(settings.width), UInt32(settings.height))
    try setControls()
  }

  deinit {
    vpx_codec_destroy(context)
    context.deallocate()
    configuration.deallocate()
  }

  private func setControls() throws(VPXError) {
    try control(VP8E_SET_CPUUSED, Int32(settings.speed))
    try control(VP8E_SET_STATIC_THRESHOLD, 1)
    try control(VP8E_SET_NOISE_SENSITIVITY, 0)
    try control(VP8E_SET_ENABLEAUTOALTREF, 0)
    try control(VP8E_SET_TOKEN_PARTITIONS, 0)
    try control(VP8E_SET_MAX_INTRA_BITRATE_PCT, settings.maximumIntraPercent(configuration.pointee))
  }

  private func control(_ control: vp8e_enc_control_id, _ value: Int32) throws(VPXError) {
    try VPXError.check(cvpx_control(context, Int32(control.rawValue), value), "vpx_codec_control")
  }

  /// Changes the target rate from the next frame on.
  public mutating func setBitrate(_ bitrate: Bitrate) throws(VPXError) {
    guard bitrate != self.bitrate else { return }
    let configuration = configuration
    settings.setRate(bitrate, in: &configuration.pointee)
    try VPXError.check(vpx_codec_enc_config_set(context, configuration), "vpx_codec_enc_config_set")
    self.bitrate = bitrate
  }

  /// Changes how much work is put into each frame, from the next one on; see ``VP8EncoderSettings/speed``.
  public mutating func setSpeed(_ speed: Int) throws(VPXError) {
    try control(VP8E_SET_CPUUSED, Int32(speed))
  }

  /// Bounds the quantizer from the next frame on, 0 (finest) to 63. Each change costs a few microseconds.
  public mutating func setQuantizers(_ range: ClosedRange<Int>) throws(VPXError) {
    guard range != quantizers else { return }
    let configuration = configuration
    configuration.pointee.rc_min_quantizer = UInt32(clamping: range.lowerBound)
    configuration.pointee.rc_max_quantizer = UInt32(clamping: range.upperBound)
    try VPXError.check(vpx_codec_enc_config_set(context, configuration), "vpx_codec_enc_config_set")
    quantizers = range
  }

  /// Has only some macroblocks encoded from the next frame on; the others stay as they are, except in key frames.
  ///
  /// - Parameter map: a byte for each macroblock of 16 by 16 samples, row by row, 0 for one that stays; nil: all are
  ///   encoded.
  public mutating func setActiveMap(_ map: Span<UInt8>?) throws(VPXError) {
    let (columns, rows) = ((settings.width + 15) / 16, (settings.height + 15) / 16)
    guard let map else {
      return try VPXError.check(cvpx_set_active_map(context, nil, UInt32(rows), UInt32(columns)), "VP8E_SET_ACTIVEMAP")
    }
    precondition(map.count == columns * rows)
    let context = context
    let status = map.withUnsafeBufferPointer {
      cvpx_set_active_map(context, $0.baseAddress, UInt32(rows), UInt32(columns))
    }
    try VPXError.check(status, "VP8E_SET_ACTIVEMAP")
  }

  /// The quantizer of the frame encoded last, 0 (finest) to 63.
  public func lastQuantizer() throws(VPXError) -> Int {
    var quantizer: Int32 = 0
    try VPXError.check(cvpx_last_quantizer(context, &quantizer), "VP8E_GET_LAST_QUANTIZER_64")
    return Int(quantizer)
  }

  /// Whether later frames of every temporal layer refer to the next one, because it is of the base layer.
  public var isReferenceNext: Bool { nextPosition.layer == 0 }

  /// How many frames there are for each of the base layer.
  public var framesPerBaseFrame: Int { pattern.period }

  private var nextPosition: TemporalPattern.Position {
    pattern.position(framesSinceKeyFrame, hasMiddle: hasMiddleFrame)
  }

  /// Lends a frame that shows the last one of the base layer again to `body`; the encoder does no work for it. It has its
  /// place among the temporal layers as any other, so that viewers of each get as many frames as ever.
  ///
  /// What frames of upper layers have shown since is not shown by it: use it where they showed nothing else.
  ///
  /// - Returns: false, without a frame, before the first frame, or unless ``VP8EncoderSettings/repeatsFrames``.
  public mutating func repeatFrame(_ body: (VP8FrameInfo, RawSpan) -> Void) -> Bool {
    guard let repetition, let repeatsSegmented else { return false }
    let layer = nextPosition.layer
    framesSinceKeyFrame += 1
    if layer == 0 { hasMiddleFrame = false }
    let info = VP8FrameInfo(isKeyFrame: false, temporalLayer: layer, isLayerSync: layer > 0, isDiscardable: true)
    body(info, repetition.payload(isSegmented: repeatsSegmented).span.bytes)
    return true
  }

  /// Encodes one frame and lends its payload to `body`, which is valid only during the call.
  ///
  /// - Parameters:
  ///   - frame: of exactly the size in ``settings``.
  ///   - timestamp: later than the one before; equal or earlier ones are taken as a microsecond later.
  /// - Returns: false when the rate control dropped the frame.
  @discardableResult
  public mutating func encode(
    _ frame: borrowing I420View, at timestamp: MonotonicInstant, duration: TimeSpan, forcesKeyFrame: Bool = false,
    _ body: (VP8FrameInfo, RawSpan) -> Void
  ) throws(VPXError) -> Bool {
    precondition(frame.width == settings.width && frame.height == settings.height)
    let isKeyFrame = forcesKeyFrame || isKeyFrameDue(at: timestamp)
    if isKeyFrame { framesSinceKeyFrame = 0 }
    let position = nextPosition
    if settings.temporalLayers > 1 { try control(VP8E_SET_TEMPORAL_LAYER_ID, Int32(position.layer)) }
    let flags = isKeyFrame ? cvpx_force_key_frame : position.flags
    try submit(frame, at: ticks(timestamp), duration: duration, flags: flags)
    return deliver(position, at: timestamp, body)
  }

  private func isKeyFrameDue(at timestamp: MonotonicInstant) -> Bool {
    guard let lastKeyFrame else { return true }
    return settings.maximumKeyFrameInterval.map { timestamp - lastKeyFrame >= $0 } ?? false
  }

  /// Microseconds since the first frame, strictly increasing as libvpx demands.
  private mutating func ticks(_ timestamp: MonotonicInstant) -> Int64 {
    let gap = lastTimestamp.map { min(timestamp - $0, longestGap) } ?? .zero
    if lastTimestamp.map({ timestamp > $0 }) ?? true { lastTimestamp = timestamp }
    lastTicks += max(1, gap.nanoseconds / 1_000)
    return lastTicks
  }

  private func submit(
    _ frame: borrowing I420View, at ticks: Int64, duration: TimeSpan, flags: vpx_enc_frame_flags_t
  ) throws(VPXError) {
    var image = Self.describe(frame)
    let y = frame.y
    let u = frame.u
    let v = frame.v
    let length = UInt(clamping: max(1, duration.nanoseconds / 1_000))
    let status = y.withUnsafeBytes { y in
      u.withUnsafeBytes { u in
        v.withUnsafeBytes { v in
          image.planes.0 = Self.plane(y)
          image.planes.1 = Self.plane(u)
          image.planes.2 = Self.plane(v)
          return cvpx_encode_realtime(context, &image, ticks, length, flags)
        }
      }
    }
    try VPXError.check(status, "vpx_codec_encode")
  }

  /// An image without its planes. (`vpx_img_wrap` would allocate when it is given no memory.)
  private static func describe(_ frame: borrowing I420View) -> vpx_image_t {
    var image = vpx_image_t()
    image.fmt = VPX_IMG_FMT_I420
    image.w = UInt32(frame.width)
    image.h = UInt32(frame.height)
    image.d_w = image.w
    image.d_h = image.h
    image.bit_depth = 8
    image.bps = 12
    image.x_chroma_shift = 1
    image.y_chroma_shift = 1
    image.stride.0 = Int32(frame.yStride)
    image.stride.1 = Int32(frame.chromaStride)
    image.stride.2 = Int32(frame.chromaStride)
    return image
  }

  /// libvpx takes mutable pointers for images that it only reads.
  private static func plane(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
    UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
  }

  private mutating func deliver(
    _ position: TemporalPattern.Position, at timestamp: MonotonicInstant, _ body: (VP8FrameInfo, RawSpan) -> Void
  ) -> Bool {
    var iterator: vpx_codec_iter_t?
    var isDelivered = false
    while let packet = vpx_codec_get_cx_data(context, &iterator) {
      guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
      let frame = packet.pointee.data.frame
      let isKeyFrame = frame.flags & cvpx_frame_is_key != 0
      let info = VP8FrameInfo(
        isKeyFrame: isKeyFrame, temporalLayer: isKeyFrame ? 0 : position.layer,
        isLayerSync: !isKeyFrame && position.isLayerSync, isDiscardable: !isKeyFrame && position.isDiscardable)
      let payload = UnsafeRawBufferPointer(start: frame.buf, count: frame.sz)
      if info.temporalLayer == 0 { repeatsSegmented = FrameSegments.isEnabled(in: payload) }
      noteDelivery(info, at: timestamp)
      isDelivered = true
      body(info, payload.bytes)
    }
    return isDelivered
  }

  /// A dropped frame does not advance the layer pattern, so base frames stay evenly spaced among those sent.
  private mutating func noteDelivery(_ info: VP8FrameInfo, at timestamp: MonotonicInstant) {
    if info.isKeyFrame {
      lastKeyFrame = timestamp
      framesSinceKeyFrame = 0
    }
    framesSinceKeyFrame += 1
    if info.temporalLayer < 2 { hasMiddleFrame = info.temporalLayer == 1 }
  }
}
