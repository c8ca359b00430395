/// Paths below the page's folder.
enum PagePath {
  /// What a module's `./` or `../` path means in another's; nil for others, and for what leaves the folder.
  static func resolve(_ relative: String, in path: String) -> String? {
    guard relative.hasPrefix("./") || relative.hasPrefix("../") else { return nil }
    var parts = path.split(separator: "/").dropLast()
    for part in relative.split(separator: "/") {
      switch part {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { return nil }
      default: parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Plain names alone: no dot files, no way up, no escapes.
  static func isSafe(_ name: some StringProtocol) -> Bool {
    !name.hasPrefix(".") && !name.isEmpty
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0))
      }
  }
}
