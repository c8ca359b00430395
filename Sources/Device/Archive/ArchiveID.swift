/// Names an archive; safe to be a folder's name.
///
/// Letters, digits, `-` and `_`, at most 64, the first a letter or a digit: a UUID qualifies, a path never does.
public struct ArchiveID: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  /// Returns nil for anything that could be more than one path component.
  public init?(_ text: String) {
    guard text.isSafeIdentifier else { return nil }
    self.text = text
  }

  public var description: String { text }
}

extension String {
  /// Whether this can be a file's or folder's name without an extension.
  var isSafeIdentifier: Bool { isSafe(maximumByteCount: 64) }

  private func isSafe(maximumByteCount: Int) -> Bool {
    guard (1...maximumByteCount).contains(utf8.count), let first = utf8.first, first.isLetterOrDigit else {
      return false
    }
    return utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Whether this can be the name of a file of an archive, for example `stream-1.webm` or `stream-1-0002.webm`.
  var isSafeFileName: Bool {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { String($0).isSafe(maximumByteCount: 72) }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
