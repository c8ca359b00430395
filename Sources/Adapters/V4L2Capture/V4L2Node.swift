internal import CV4L2
internal import Glibc
internal import MediaCore

/// An open device node and the ioctls on it.
struct V4L2Node: ~Copyable {
  let path: String
  let descriptor: Int32

  init(path: String) throws(V4L2Error) {
    self.path = path
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw V4L2Error(.system(call: "open", errno: errno), path: path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Runs an ioctl; returns 0 or the `errno`. The argument is the C struct that the request is defined with.
  func status<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
    withUnsafeMutableBytes(of: &argument) { cv4l2_ioctl(descriptor, request, $0.baseAddress) }
  }

  /// Runs an ioctl that must succeed.
  func run<Argument>(_ request: UInt, _ name: StaticString, _ argument: inout Argument) throws(V4L2Error) {
    let code = status(request, &argument)
    guard code == 0 else { throw failure(name, code) }
  }

  func failure(_ call: StaticString, _ code: Int32) -> V4L2Error {
    V4L2Error(.system(call: "\(call)", errno: code), path: path)
  }

  /// What the node can do; the device as a whole may do more.
  func capability() throws(V4L2Error) -> v4l2_capability {
    var capability = v4l2_capability()
    try run(cv4l2_querycap, "VIDIOC_QUERYCAP", &capability)
    let hasOwn = capability.capabilities & cv4l2_cap_device_caps != 0
    let flags = hasOwn ? capability.device_caps : capability.capabilities
    let needed = cv4l2_cap_video_capture | cv4l2_cap_streaming
    guard flags & needed == needed else { throw V4L2Error(.notACamera, path: path) }
    return capability
  }

  /// The FourCC codes that the driver lists.
  func pixelFormatCodes() -> [UInt32] {
    var codes: [UInt32] = []
    var entry = v4l2_fmtdesc()
    entry.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    while entry.index < 256, status(cv4l2_enum_fmt, &entry) == 0 {
      codes.append(entry.pixelformat)
      entry.index += 1
    }
    return codes
  }
}

/// Reads a NUL-terminated text from a fixed array of bytes in a C struct.
func text<Bytes>(_ bytes: Bytes) -> String {
  withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

/// Spells a FourCC code, for example `YUYV`.
func fourCC(_ code: UInt32) -> String {
  let bytes = (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * $0)) & 0x7F }
  return String(decoding: bytes.map { $0 < 0x20 ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
}
