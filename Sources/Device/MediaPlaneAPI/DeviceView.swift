/// What the other side of a call sees of the device.
public enum DeviceView: Sendable, Hashable {
  /// The camera of `[video]`.
  case main
  /// A further camera, by its name.
  case camera(String)
  /// All cameras in one frame.
  case mosaic
}

/// There is no camera of that name for a call to see.
public struct UnknownCamera: Error, Sendable, Hashable, CustomStringConvertible {
  public var name: String
  /// Further cameras.
  public var known: [String]

  public init(name: String, known: [String]) {
    self.name = name
    self.known = known
  }

  public var description: String {
    known.isEmpty
      ? "this device has one camera, and none that is named \"\(name)\""
      : "this device has no camera \"\(name)\" beside the main one; it has \(known.joined(separator: ", "))"
  }
}
