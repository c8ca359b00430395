internal import CLinux
internal import Glibc
internal import MediaCore

/// An open device node that captures video, and the ioctls on it.
struct V4L2Node: ~Copyable {
  let path: String
  let descriptor: Int32
  /// The driver's name for the device.
  let card: String
  let driver: String
  /// Where the device is attached, for example `usb-0000:00:14.0-2`.
  let bus: String
  /// The kind of its queue, single-planar or multi-planar, as V4L2 numbers it.
  let queueType: UInt32

  init(path: String) throws(V4L2Error) {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw V4L2Error(.system(call: "open", errno: errno), path: path) }
    var capability = v4l2_capability()
    let code = withUnsafeMutableBytes(of: &capability) { cv4l2_ioctl(descriptor, cv4l2_querycap, $0.baseAddress) }
    do throws(V4L2Error) {
      queueType = try Self.queueType(capability, code, path)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
    card = text(capability.card)
    driver = text(capability.driver)
    bus = text(capability.bus_info)
  }

  deinit { close(descriptor) }

  private static func queueType(
    _ capability: v4l2_capability, _ code: Int32, _ path: String
  ) throws(V4L2Error) -> UInt32 {
    guard code != ENOTTY else { throw V4L2Error(.notACamera(.otherDevice), path: path) }
    guard code == 0 else { throw V4L2Error(.system(call: "VIDIOC_QUERYCAP", errno: code), path: path) }
    // What the node can do; the device as a whole may do more.
    let hasOwn = capability.capabilities & cv4l2_cap_device_caps != 0
    let flags = hasOwn ? capability.device_caps : capability.capabilities
    if let kind = V4L2Error.NodeKind(capabilities: flags) { throw V4L2Error(.notACamera(kind), path: path) }
    let isSingle = flags & cv4l2_cap_video_capture != 0
    return (isSingle ? V4L2_BUF_TYPE_VIDEO_CAPTURE : V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE).rawValue
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
}

extension V4L2Error.NodeKind {
  /// Why a node with these capabilities is no camera, or nil when it is one.
  fileprivate init?(capabilities flags: UInt32) {
    let capture = cv4l2_cap_video_capture | cv4l2_cap_video_capture_mplane
    let isTwoWay = flags & capture != 0 && flags & cv4l2_cap_video_output != 0
    switch true {
    case flags & cv4l2_cap_touch != 0: self = .touchSensor
    case flags & cv4l2_cap_video_m2m != 0 || isTwoWay: self = .codec
    case flags & capture != 0 && flags & cv4l2_cap_streaming != 0: return nil
    case flags & capture != 0: self = .withoutStreaming
    case flags & cv4l2_cap_video_output != 0: self = .output
    case flags & cv4l2_cap_meta != 0: self = .metadata
    default: self = .otherDevice
    }
  }
}

/// Reads a NUL-terminated text from a fixed array of bytes in a C struct.
func text<Bytes>(_ bytes: Bytes) -> String {
  withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
