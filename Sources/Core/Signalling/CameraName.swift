/// Names one of a device's cameras: in its configuration, in the hub's paths, and as a stream's files in archives.
public struct CameraName: TextIdentifier {
  public let text: String

  /// The camera of `[video]`.
  public static let main: CameraName = "device"

  /// Returns nil unless the text is 1 to 32 ASCII lower-case letters, digits, `-` and `_`, the first a letter or a digit.
  public init?(_ text: String) {
    guard text.isIdentifier(upTo: 32), !text.hasPrefix("-"), !text.hasPrefix("_"),
      !text.utf8.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
    else { return nil }
    self.text = text
  }
}
