/// Identifiers as people type them: whole, or the beginning of one.
public enum IdentifierPrefix {
  /// A shorter beginning is more likely a slip than a name.
  static let minimumLength = 4
  /// What lists show, if it is unique among all of them.
  static let shownLength = 8

  /// The identifier that is `text`, or else the only one that begins with it; nil if there is none.
  ///
  /// - Throws: ``DeviceControlError/failed(message:)`` when several begin so.
  public static func resolve(_ text: String, among identifiers: [String]) throws(DeviceControlError) -> String? {
    if identifiers.contains(text) { return text }
    guard text.utf8.count >= minimumLength else { return nil }
    let found = identifiers.filter { $0.hasPrefix(text) }.sorted()
    guard found.count > 1 else { return found.first }
    let some = found.prefix(3).joined(separator: ", ")
    throw .failed(
      message: "\(found.count) ids begin with \(text): \(some)\(found.count > 3 ? ", …" : ""); type more of it")
  }

  /// How many characters of each to show, so that they can be distinguished.
  public static func distinctLength(_ identifiers: [String]) -> Int {
    let sorted = identifiers.sorted()
    let common = zip(sorted, sorted.dropFirst()).map { first, second in zip(first, second).prefix { $0 == $1 }.count }
    return max(shownLength, (common.max() ?? 0) + 1)
  }
}
