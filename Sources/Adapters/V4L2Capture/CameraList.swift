internal import Glibc
internal import MediaCore
internal import SystemSupport

/// A camera that can be opened.
public struct CameraDescription: Sendable, Hashable {
  /// The node, for example `/dev/video0`.
  public let path: String
  /// A link that keeps naming the same camera after replugging, where udev made one.
  public let stablePath: String?
  /// The driver's name for the device.
  public let name: String
}

/// Finds cameras. Opens each for moments, which turns no light on and disturbs no stream.
public enum CameraList {
  /// The nodes that can capture: the camera that `auto` means first.
  ///
  /// Cameras whose formats do without libv4lconvert come before those that need it, infrared cameras last; equal ones
  /// in the order of their nodes.
  public static func current(directory: String = "/dev") -> [CameraDescription] {
    survey(directory: directory).cameras
  }

  /// The cameras as ``current(directory:)`` lists them, and the nodes that could not be inspected.
  public static func survey(
    directory: String = "/dev"
  ) -> (cameras: [CameraDescription], failures: [V4L2Error]) {
    var found: [(rank: Int, camera: CameraDescription)] = []
    var failures: [V4L2Error] = []
    for path in nodes(in: directory) {
      do throws(V4L2Error) {
        let node = try V4L2Node(path: path)
        guard let rank = bestRank(of: node) else { continue }
        found.append((rank, describe(node, directory: directory)))
      } catch {
        if case .system = error.cause { failures.append(error) }
      }
    }
    let ordered = found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    return (ordered.map(\.element.camera), failures)
  }

  private static func nodes(in directory: String) -> [String] {
    let numbers = FolderEntries.names(in: directory).compactMap { name in
      name.hasPrefix("video") ? Int(name.dropFirst(5)) : nil
    }
    return numbers.sorted().map { "\(directory)/video\($0)" }
  }

  /// How much the camera's simplest format needs, in steps that matter for the choice of a camera; nil for none.
  private static func bestRank(of node: borrowing V4L2Node) -> Int? {
    let codes = node.pixelFormats().map(\.code)
    if codes.contains(where: { PixelFormat($0) != nil || PixelFormat(separatePlanes: $0) != nil }) { return 0 }
    return codes.compactMap { ConvertibleFormat($0)?.kind.rawValue }.min().map { $0 + 1 }
  }

  private static func describe(_ node: borrowing V4L2Node, directory: String) -> CameraDescription {
    CameraDescription(path: node.path, stablePath: stableLink(to: node.path, directory: directory), name: node.card)
  }

  /// By the device's own name and serial number if it has them, else by the port that it is plugged into.
  static func stableLink(to path: String, directory: String) -> String? {
    guard let target = resolved(path) else { return nil }
    return ["by-id", "by-path"].lazy.flatMap { kind in
      FolderEntries.names(in: "\(directory)/v4l/\(kind)").map { "\(directory)/v4l/\(kind)/\($0)" }
    }.first { resolved($0) == target }
  }

  private static func resolved(_ path: String) -> String? {
    guard let target = realpath(path, nil) else { return nil }
    defer { free(target) }
    return String(cString: target)
  }
}
