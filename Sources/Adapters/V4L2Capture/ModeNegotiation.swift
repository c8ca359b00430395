internal import CLinux

/// What the driver and this program agreed on.
struct NegotiatedFormat {
  var delivery: FrameDelivery
  /// The driver's own values: size, row lengths, sizes of the planes.
  var layout: cv4l2_layout
  var frameRate: Double

  var code: FourCC { FourCC(layout.code) }
  var width: Int { FrameLimits.clamped(layout.width) }
  var height: Int { FrameLimits.clamped(layout.height) }

  var fields: FieldOrder { FieldOrder(layout.field) }

  /// The driver says that samples do not use all 256 values.
  var isNarrowRange: Bool { layout.quantization == V4L2_QUANTIZATION_LIM_RANGE.rawValue }

  /// Samples use all 256 values: the driver says so, or keeps silent about a colour space that means it.
  var isFullRange: Bool {
    let quantization = layout.quantization
    return quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
      || quantization == V4L2_QUANTIZATION_DEFAULT.rawValue && layout.colorspace == V4L2_COLORSPACE_JPEG.rawValue
  }
}

extension V4L2Node {
  /// Sets the best mode for `request` and reads back what the driver made of it.
  func negotiate(_ request: CaptureRequest) throws(V4L2Error) -> NegotiatedFormat {
    let mode = try chooseMode(request)
    var layout = try set(mode, V4L2_FIELD_NONE)
    if FieldOrder(layout.field) == .separate { layout = try set(mode, V4L2_FIELD_INTERLACED) }
    guard FieldOrder(layout.field) != .separate else { throw V4L2Error(.separateFields, path: path) }
    let set = FourCC(layout.code)
    guard set == mode.code || request.format == nil, let delivery = FrameDelivery(set) else {
      throw V4L2Error(.formatNotOffered(wanted: mode.code.description, offered: [set.description]), path: path)
    }
    guard hasBelievableSize(layout) else { throw failure("VIDIOC_S_FMT", EPROTO) }
    return NegotiatedFormat(delivery: delivery, layout: layout, frameRate: setFrameRate(request.frameRate))
  }

  private func set(_ mode: CaptureMode, _ field: v4l2_field) throws(V4L2Error) -> cv4l2_layout {
    var layout = cv4l2_layout()
    layout.code = mode.code.rawValue
    layout.width = UInt32(clamping: mode.width)
    layout.height = UInt32(clamping: mode.height)
    layout.field = field.rawValue
    let code = cv4l2_run_format(descriptor, cv4l2_s_fmt, queueType, &layout)
    guard code == 0 else { throw failure("VIDIOC_S_FMT", code) }
    return layout
  }

  /// The best mode for `request` by what the driver lists; changes nothing at the device.
  func chooseMode(_ request: CaptureRequest) throws(V4L2Error) -> CaptureMode {
    let codes = pixelFormats().map(\.code)
    let wanted = request.format.map { format in codes.filter { $0.description == format } } ?? codes
    let deliveries = wanted.compactMap { code in FrameDelivery(code).map { (code, $0) } }
    let native = request.best(of: deliveries.filter { !$0.1.isConverted }.compactMap { mode($0, $1, request) })
    if let native, request.isMet(by: native) { return native }
    let converted = deliveries.filter(\.1.isConverted).compactMap { mode($0, $1, request) }
    guard let best = request.best(of: converted + [native].compactMap(\.self)) else {
      let offered = codes.map(\.description)
      let cause = request.format.map { V4L2Error.Cause.formatNotOffered(wanted: $0, offered: offered) }
      throw V4L2Error(cause ?? .noUsableFormat(offered: offered), path: path)
    }
    return best
  }

  private func mode(_ code: FourCC, _ delivery: FrameDelivery, _ request: CaptureRequest) -> CaptureMode? {
    guard let (width, height) = nearestSize(code, request) else { return nil }
    return CaptureMode(
      code: code, delivery: delivery, width: width, height: height,
      frameRate: frameRates(code, width: width, height: height).first)
  }

  private func nearestSize(_ code: FourCC, _ request: CaptureRequest) -> (width: Int, height: Int)? {
    switch frameSizes(code) {
    case .discrete(let sizes):
      return sizes.min { request.sizeError($0.width, $0.height) < request.sizeError($1.width, $1.height) }
    case .range(let range): return range.nearest(width: request.width, height: request.height)
    case .unknown: return triedSize(code, request)
    }
  }

  /// What the driver would make of the requested size.
  private func triedSize(_ code: FourCC, _ request: CaptureRequest) -> (width: Int, height: Int)? {
    var layout = cv4l2_layout()
    layout.code = code.rawValue
    layout.width = UInt32(clamping: request.width)
    layout.height = UInt32(clamping: request.height)
    layout.field = V4L2_FIELD_NONE.rawValue
    // Some drivers lack VIDIOC_TRY_FMT; their choice shows when the format is set.
    guard cv4l2_run_format(descriptor, cv4l2_try_fmt, queueType, &layout) == 0 else {
      return (request.width, request.height)
    }
    guard layout.code == code.rawValue, FrameLimits.admits(width: layout.width, height: layout.height) else {
      return nil
    }
    return (Int(clamping: layout.width), Int(clamping: layout.height))
  }

  private func hasBelievableSize(_ layout: cv4l2_layout) -> Bool {
    FrameLimits.admits(width: layout.width, height: layout.height)
      && (0..<Int(cv4l2_max_planes)).allSatisfy { plane in
        FrameLimits.admits(
          bytesPerLine: element(layout.bytes_per_line, plane), byteCount: element(layout.size, plane))
      }
  }

  /// Requests a rate and returns the one in force; cameras that cannot choose keep theirs.
  private func setFrameRate(_ frameRate: Int) -> Double {
    var parameters = v4l2_streamparm()
    parameters.type = queueType
    guard status(cv4l2_g_parm, &parameters) == 0 else { return Double(frameRate) }
    if parameters.parm.capture.capability & cv4l2_cap_timeperframe != 0 {
      parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: UInt32(clamping: frameRate))
      _ = status(cv4l2_s_parm, &parameters)
      _ = status(cv4l2_g_parm, &parameters)
    }
    return Self.rate(parameters.parm.capture.timeperframe) ?? Double(frameRate)
  }
}
