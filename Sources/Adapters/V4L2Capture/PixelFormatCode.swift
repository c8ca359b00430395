internal import CV4L2
internal import MediaCore

extension PixelFormat {
  /// The format of a V4L2 FourCC code, or nil when no conversion exists.
  init?(fourCC code: UInt32) {
    switch code {
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
}
