internal import CLinux
internal import MediaCore

/// How a camera's frames are processed before they are lent, by the camera's format.
enum FrameDelivery: Hashable, Sendable {
  /// They are lent unchanged, in the driver's memory.
  case direct(PixelFormat)
  /// Their planes, in separate memory, are copied one behind the other.
  case gathered(PixelFormat)
  /// libv4lconvert makes YU12 or RGB24 of them.
  case converted(ConvertibleFormat)

  /// Nil for a format that cannot be converted.
  init?(_ code: FourCC) {
    if let format = PixelFormat(code) {
      self = .direct(format)
    } else if let format = PixelFormat(separatePlanes: code) {
      self = .gathered(format)
    } else if let format = ConvertibleFormat(code) {
      self = .converted(format)
    } else {
      return nil
    }
  }

  var isConverted: Bool {
    if case .converted = self { true } else { false }
  }

  /// Grows with the work a frame takes, and with what its frames lack: every format that does without libv4lconvert
  /// comes before those that need it.
  var rank: Int {
    switch self {
    case .direct(let format): Int(format.rawValue) * 2
    case .gathered(let format): Int(format.rawValue) * 2 + 1
    case .converted(let format): 100 + format.kind.rawValue
    }
  }
}

extension PixelFormat {
  /// The format of a V4L2 FourCC code whose planes follow each other in memory.
  init?(_ code: FourCC) {
    switch code.rawValue {
    case cv4l2_pix_fmt_yu12: self = .yu12
    case cv4l2_pix_fmt_yv12: self = .yv12
    case cv4l2_pix_fmt_nv12: self = .nv12
    case cv4l2_pix_fmt_nv21: self = .nv21
    case cv4l2_pix_fmt_yuyv: self = .yuyv
    case cv4l2_pix_fmt_uyvy: self = .uyvy
    case cv4l2_pix_fmt_rgb24: self = .rgb24
    case cv4l2_pix_fmt_bgr24: self = .bgr24
    case cv4l2_pix_fmt_mjpeg, cv4l2_pix_fmt_jpeg: self = .mjpeg
    default: return nil
    }
  }

  /// The format of a V4L2 FourCC code whose planes have separate memory.
  init?(separatePlanes code: FourCC) {
    switch code.rawValue {
    case cv4l2_pix_fmt_yu12m: self = .yu12
    case cv4l2_pix_fmt_yv12m: self = .yv12
    case cv4l2_pix_fmt_nv12m: self = .nv12
    case cv4l2_pix_fmt_nv21m: self = .nv21
    default: return nil
    }
  }

  /// The planes of a frame whose first plane has rows of `bytesPerLine`: the length and number of their rows.
  /// Empty for compressed formats.
  func planes(bytesPerLine: Int, height: Int) -> [PlaneRows] {
    let chroma = (height + 1) / 2
    let luma = PlaneRows(bytes: bytesPerLine, count: height)
    switch self {
    case .yu12, .yv12:
      return [luma] + Array(repeating: PlaneRows(bytes: (bytesPerLine + 1) / 2, count: chroma), count: 2)
    case .nv12, .nv21: return [luma, PlaneRows(bytes: bytesPerLine, count: chroma)]
    case .yuyv, .uyvy, .rgb24, .bgr24: return [luma]
    case .mjpeg: return []
    }
  }
}

/// The rows of one plane of memory.
struct PlaneRows: Hashable, Sendable {
  /// Bytes from one row to the next.
  var bytes: Int
  var count: Int

  var byteCount: Int { bytes * count }
}
