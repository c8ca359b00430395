/// Names an archive: a folder on the device, the `{archiveID}` of the hub's paths, and what events call `archiveID`.
///
/// A UUID qualifies, a path never does: what this type holds is safe in a path, a folder's name and a log.
public struct ArchiveID: Hashable, Sendable {
  public let text: String

  /// Returns nil unless the text is 1 to 64 ASCII letters, digits, `-` and `_`, the first a letter or a digit.
  public init?(_ text: String) {
    guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ $0.isIdentifierByte }) else { return nil }
    guard text.utf8.first != UInt8(ascii: "-"), text.utf8.first != UInt8(ascii: "_") else { return nil }
    self.text = text
  }
}

extension ArchiveID: CustomStringConvertible {
  public var description: String { text }
}

extension ArchiveID: ExpressibleByStringLiteral {
  /// A literal has to name an archive; one that cannot is a programmer's mistake.
  public init(stringLiteral text: String) {
    guard let id = ArchiveID(text) else { preconditionFailure("a literal that is no archive's id") }
    self = id
  }
}

extension ArchiveID: Comparable {
  public static func < (first: ArchiveID, second: ArchiveID) -> Bool { first.text < second.text }
}
