internal import Glibc

/// A camera could not be opened or has failed; with the call, the device and a remedy.
public struct V4L2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Cause: Hashable, Sendable {
    /// A system call or ioctl failed with this `errno`.
    case system(call: String, errno: Int32)
    /// The node exists but is something else.
    case notACamera(NodeKind)
    /// None of its formats can be converted; these FourCC codes are offered.
    case noUsableFormat(offered: [String])
    /// It lacks the requested format, or that cannot be converted; these FourCC codes are offered.
    case formatNotOffered(wanted: String, offered: [String])
    /// It has no such input; these are its own.
    case inputNotOffered(wanted: String, offered: [String])
    /// It does not take a setting, given by name.
    case settingNotOffered(String)
    /// It delivers the fields of interlaced frames one by one, in every mode.
    case separateFields
  }

  /// What a node is that is no camera.
  public enum NodeKind: Hashable, Sendable {
    case metadata, output, codec, touchSensor
    /// It captures video, but only by `read`.
    case withoutStreaming
    case otherDevice
  }

  public let cause: Cause
  /// The device node or link, as it was given.
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
    case .notACamera(let kind): "\(path): \(Self.text(kind)); choose a node that `livesessions devices` lists"
    case .noUsableFormat(let offered): "\(path): offers \(Self.list(offered)), none of them usable"
    case .formatNotOffered(let wanted, let offered):
      "\(path): cannot deliver the pixel format \(wanted); it offers \(Self.list(offered))"
    case .inputNotOffered(let wanted, let offered):
      "\(path): has no input \"\(wanted)\"; "
        + (offered.isEmpty
          ? "it has none to choose from: remove input"
          : "it has \(offered.enumerated().map { "\($0.offset) \"\($0.element)\"" }.joined(separator: ", "))")
    case .settingNotOffered(let setting): "\(path): does not take \(setting): remove it from the configuration"
    case .separateFields:
      "\(path): delivers fields of interlaced frames one by one, which is not supported; choose another size (half the"
        + " height has one field alone) or pixel_format"
    }
  }

  private static func list(_ codes: [String]) -> String { codes.isEmpty ? "no format" : codes.joined(separator: " ") }

  private static func text(_ kind: NodeKind) -> String {
    switch kind {
    case .metadata: "is the metadata node of a camera, not the camera"
    case .output: "shows video instead of capturing it"
    case .codec: "is a codec, not a camera"
    case .touchSensor: "is a touch sensor, not a camera"
    case .withoutStreaming: "captures video only without streaming I/O, which is not supported"
    case .otherDevice: "is no camera"
    }
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM:
      "; the program's user has to be in the group that owns the node, usually video; where that is root, have udev"
        + " give it to video"
    case EBUSY:
      "; another program has it open (fuser -v names it), or, if that is this one, the driver hangs: replug the camera"
    case ENOENT: "; is the camera plugged in, and the path one that `livesessions devices` lists?"
    case ENODEV, ENXIO: "; the camera was unplugged"
    case EIO, EPROTO: "; the camera or its cable failed, it will be reopened"
    case ENOSPC: "; the USB bus has no bandwidth left: choose a smaller size or another port"
    case EPIPE, ENOLINK: "; the board's camera pipeline is not set up: link sensor and node with media-ctl first"
    default: ""
    }
  }
}
