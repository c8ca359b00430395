/// Names an archive: a folder on the device, the `{archiveID}` of the hub's paths, and what events call `archiveID`.
///
/// A UUID qualifies, a path never does.
public struct ArchiveID: TextIdentifier {
  public let text: String

  /// Returns nil unless the text is 1 to 64 ASCII letters, digits, `-` and `_`, the first a letter or a digit.
  public init?(_ text: String) {
    guard text.isIdentifier(upTo: 64), !text.hasPrefix("-"), !text.hasPrefix("_") else { return nil }
    self.text = text
  }
}
