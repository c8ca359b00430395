import Signalling

extension String {
  /// Whether this can be a file's name without an extension; as strict as ``ArchiveID``.
  var isSafeIdentifier: Bool { ArchiveID(self) != nil }

  /// Whether this can be the name of a file of an archive, for example `stream-1.webm` or `stream-1-0002.webm`.
  var isSafeFileName: Bool {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { $0.isSafePart }
  }
}

extension Substring {
  /// A stream's id with a segment's number fits in.
  private static let maximumByteCount = 72

  fileprivate var isSafePart: Bool {
    guard (1...Self.maximumByteCount).contains(utf8.count), let first = utf8.first, first.isLetterOrDigit else {
      return false
    }
    return utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
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
