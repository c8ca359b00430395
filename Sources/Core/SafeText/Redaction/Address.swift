/// Finds what is an address or a place by its shape, at the beginning of a text that begins a word.
enum Address {
  /// The length of the address, or of the number with so many decimals that it could be a coordinate; nil where none begins.
  static func length(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    [url(text), account(text), groups(text), decimal(text), telephone(text)].compactMap { $0 }.max()
  }

  /// From a scheme to the end of the URL: host, path and query alike.
  private static func url(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    let scheme = text.prefix(16).prefix { $0.isOfWord || $0 == "+" }
    let rest = text.dropFirst(scheme.count)
    guard !scheme.isEmpty, rest.starts(with: "://".unicodeScalars) else { return nil }
    return scheme.count + rest.prefix { !$0.properties.isWhitespace && !"\"'<>,;)]}".unicodeScalars.contains($0) }.count
  }

  /// `name@host`.
  private static func account(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    let name = text.prefix(64).prefix { $0.isOfWord || "._+-".unicodeScalars.contains($0) }
    let rest = text.dropFirst(name.count)
    guard !name.isEmpty, rest.first == "@", rest.dropFirst().first?.isOfWord == true else { return nil }
    return name.count + 1 + rest.dropFirst().prefix { $0.isOfWord || ".-".unicodeScalars.contains($0) }.count
  }

  /// IPv4 and IPv6, with a port or without, and MAC addresses: groups of digits between dots or colons.
  private static func groups(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    let dotted = text.prefix(64).prefix { $0.isDigit || $0 == "." }
    let parts = dotted.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count >= 4, parts.prefix(4).allSatisfy({ (1...3).contains($0.count) }) { return dotted.count }
    let hexadecimal = text.prefix(64).prefix { $0.isHexDigit || $0 == ":" || $0 == "-" || $0 == "." || $0 == "%" }
    let colons = hexadecimal.filter { $0 == ":" }.count
    // A time of day has two colons, a date two hyphens: `2026-11-26T15:00:00`, `15:00:00`.
    if colons >= 3 || (colons >= 2 && hexadecimal.isCompressed) { return hexadecimal.count }
    let bytes = hexadecimal.split(separator: "-", omittingEmptySubsequences: false)
    return bytes.count >= 6 && bytes.prefix(6).allSatisfy { $0.count == 2 } ? hexadecimal.count : nil
  }

  /// A plus sign and six digits or more, between which blanks and hyphens may stand.
  private static func telephone(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    guard text.first == "+" else { return nil }
    let number = text.dropFirst().prefix(32).prefix { $0.isDigit || $0 == " " || $0 == "-" }
    let length = number.lastIndex { $0.isDigit }.map { $0 - text.startIndex + 1 }
    // An offset from UTC has four digits.
    return number.count { $0.isDigit } >= 6 ? length : nil
  }

  /// Three decimals and more place something within a hundred metres.
  private static func decimal(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
    let whole = text.prefix(16).prefix { $0.isDigit }
    let rest = text.dropFirst(whole.count)
    guard !whole.isEmpty, rest.first == "." else { return nil }
    let decimals = rest.dropFirst().prefix { $0.isDigit }
    return decimals.count >= 3 ? whole.count + 1 + decimals.count : nil
  }
}

extension ArraySlice<Unicode.Scalar> {
  /// Whether groups of zeros are left out, as in `fe80::1`.
  fileprivate var isCompressed: Bool { zip(self, dropFirst()).contains { $0 == ":" && $1 == ":" } }
}
