internal import CV4L2
internal import Glibc
internal import MediaCore

/// A camera that can be opened.
public struct CameraDescription: Sendable, Hashable {
  /// The node, for example `/dev/video0`.
  public let path: String
  /// A link that keeps naming the same camera after replugging, where udev made one.
  public let stablePath: String?
  /// The driver's name for the device.
  public let name: String
}

/// Finds cameras.
public enum CameraList {
  /// The nodes that can capture a format we convert, by node number. Opens each for a moment, which turns no light on.
  public static func current(directory: String = "/dev") -> [CameraDescription] {
    let numbers = entries(of: directory).compactMap { name in
      name.hasPrefix("video") ? Int(name.dropFirst(5)) : nil
    }
    return numbers.sorted().compactMap { describe("\(directory)/video\($0)", directory: directory) }
  }

  private static func describe(_ path: String, directory: String) -> CameraDescription? {
    guard let node = try? V4L2Node(path: path), let capability = try? node.capability(),
      node.pixelFormatCodes().contains(where: { PixelFormat(fourCC: $0) != nil })
    else { return nil }
    return CameraDescription(
      path: path, stablePath: stableLink(to: path, in: "\(directory)/v4l/by-id"), name: text(capability.card))
  }

  private static func stableLink(to path: String, in directory: String) -> String? {
    entries(of: directory).sorted().map { "\(directory)/\($0)" }.first { resolved($0) == path }
  }

  private static func resolved(_ path: String) -> String? {
    guard let target = realpath(path, nil) else { return nil }
    defer { free(target) }
    return String(cString: target)
  }

  private static func entries(of directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) { names.append(text(entry.pointee.d_name)) }
    return names.filter { !$0.hasPrefix(".") }
  }
}
