/// Reads a decimal number without sign; nil for anything else or when it does not fit.
func decimal<Number: FixedWidthInteger>(_ text: some StringProtocol) -> Number? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
    return nil
  }
  return Number(text, radix: 10)
}

/// The text without spaces and tabs at its ends.
func trimmed(_ text: Substring) -> String {
  var rest = text.utf8
  while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
  while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
  return String(Substring(rest))
}

/// Splits at single spaces, leaving out empty pieces.
func words(_ text: some StringProtocol) -> [String] {
  text.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
}

/// Splits at the first `separator`; the second part is nil where there is none.
func divide(_ text: String, at separator: Character) -> (head: String, tail: String?) {
  guard let index = text.firstIndex(of: separator) else { return (text, nil) }
  return (String(text[..<index]), String(text[text.index(after: index)...]))
}

/// Whether the text is one token of visible ASCII, 255 octets at most.
func isVisible(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.count <= 255 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
}

/// Whether the text is a `token` (RFC 8866 §9): visible ASCII without separators.
func isToken(_ text: String) -> Bool {
  let excluded = "\"(),/:;<=>?@[\\]".utf8
  return isVisible(text) && text.utf8.allSatisfy { !excluded.contains($0) }
}
