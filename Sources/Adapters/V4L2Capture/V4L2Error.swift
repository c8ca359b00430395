internal import Glibc

/// A camera could not be opened or has failed; says which call on which device, and what may help.
public struct V4L2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Cause: Hashable, Sendable {
    /// A system call or ioctl failed with this `errno`.
    case system(call: String, errno: Int32)
    /// The node exists but is no camera with streaming I/O.
    case notACamera
    /// None of its formats can be converted; these FourCC codes are offered.
    case noUsableFormat(offered: [String])
  }

  public let cause: Cause
  /// The device node.
  public let path: String

  public init(_ cause: Cause, path: String) {
    self.cause = cause
    self.path = path
  }

  /// Whether the device is gone (unplugged, or its driver unbound).
  public var isDeviceGone: Bool {
    guard case .system(_, let code) = cause else { return false }
    return code == ENODEV || code == ENXIO || code == ENOENT
  }

  public var description: String {
    switch cause {
    case .system(let call, let code): "\(path): \(call): \(String(cString: strerror(code)))\(Self.advice(code))"
    case .notACamera: "\(path): cannot capture video with streaming I/O; choose another device node"
    case .noUsableFormat(let offered): "\(path): offers only \(offered.joined(separator: " ")), none of them usable"
    }
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "; the daemon's user must be in the group that owns the node (usually video)"
    case EBUSY: "; another program is using the camera"
    case ENOENT: "; is the camera plugged in, and the path right?"
    case ENODEV, ENXIO: "; the camera was unplugged"
    case EIO, EPROTO: "; the camera or its cable failed, it will be opened anew"
    case ENOSPC: "; the USB bus has no bandwidth left: choose a smaller picture or another port"
    default: ""
    }
  }
}
