internal import CV4L2
internal import MediaCore

/// What the driver and this program agreed on.
struct NegotiatedFormat {
  var format: PixelFormat
  var width: Int
  var height: Int
  var bytesPerLine: Int
  var frameRate: Double
}

extension V4L2Node {
  /// Sets the best mode for `request` and reads back what the driver made of it.
  func negotiate(_ request: CaptureRequest) throws(V4L2Error) -> NegotiatedFormat {
    let codes = pixelFormatCodes()
    let modes = codes.compactMap { mode($0, request) }
    guard let mode = request.best(of: modes) else {
      throw V4L2Error(.noUsableFormat(offered: codes.map(fourCC)), path: path)
    }
    var format = captureFormat(mode.code, width: mode.width, height: mode.height)
    try run(cv4l2_s_fmt, "VIDIOC_S_FMT", &format)
    let picture = format.fmt.pix
    guard let set = PixelFormat(fourCC: picture.pixelformat) else {
      throw V4L2Error(.noUsableFormat(offered: [fourCC(picture.pixelformat)]), path: path)
    }
    return NegotiatedFormat(
      format: set, width: Int(picture.width), height: Int(picture.height), bytesPerLine: Int(picture.bytesperline),
      frameRate: setFrameRate(request.frameRate))
  }

  private func captureFormat(_ code: UInt32, width: Int, height: Int) -> v4l2_format {
    var format = v4l2_format()
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    format.fmt.pix.width = UInt32(width)
    format.fmt.pix.height = UInt32(height)
    format.fmt.pix.pixelformat = code
    format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    return format
  }

  private func mode(_ code: UInt32, _ request: CaptureRequest) -> CaptureMode? {
    guard let format = PixelFormat(fourCC: code) else { return nil }
    var trial = captureFormat(code, width: request.width, height: request.height)
    // Some drivers lack VIDIOC_TRY_FMT; what they will do shows when the format is set.
    if status(cv4l2_try_fmt, &trial) == 0, trial.fmt.pix.pixelformat != code { return nil }
    let width = Int(trial.fmt.pix.width)
    let height = Int(trial.fmt.pix.height)
    return CaptureMode(
      format: format, code: code, width: width, height: height,
      frameRate: highestRate(code, width: width, height: height))
  }

  private func highestRate(_ code: UInt32, width: Int, height: Int) -> Double? {
    var highest: Double?
    var entry = v4l2_frmivalenum()
    entry.pixel_format = code
    entry.width = UInt32(width)
    entry.height = UInt32(height)
    while entry.index < 256, status(cv4l2_enum_frameintervals, &entry) == 0 {
      let isDiscrete = entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
      let interval = isDiscrete ? entry.discrete : entry.stepwise.min
      if interval.numerator > 0 {
        highest = max(highest ?? 0, Double(interval.denominator) / Double(interval.numerator))
      }
      guard isDiscrete else { break }
      entry.index += 1
    }
    return highest
  }

  /// Asks for a rate and returns the one in force; cameras that cannot choose keep theirs.
  private func setFrameRate(_ frameRate: Int) -> Double {
    var parameters = v4l2_streamparm()
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    guard status(cv4l2_g_parm, &parameters) == 0 else { return Double(frameRate) }
    if parameters.parm.capture.capability & cv4l2_cap_timeperframe != 0 {
      parameters.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: UInt32(frameRate))
      _ = status(cv4l2_s_parm, &parameters)
    }
    let interval = parameters.parm.capture.timeperframe
    guard interval.numerator > 0, interval.denominator > 0 else { return Double(frameRate) }
    return Double(interval.denominator) / Double(interval.numerator)
  }
}
