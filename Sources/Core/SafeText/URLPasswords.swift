extension StringProtocol {
  /// The text with the password of each URL left out: `rtsp://user:…@host/`. Programs repeat their arguments in what they
  /// print, and those of cameras have such URLs.
  public var hidingURLPasswords: String {
    var text = ""
    var rest = Substring(self)
    while let authority = rest.firstRange(of: "://") {
      text += rest[..<authority.upperBound]
      rest = rest[authority.upperBound...]
      let end = rest.firstIndex { "/?# \"'".contains($0) || $0.isWhitespace } ?? rest.endIndex
      guard let at = rest[..<end].lastIndex(of: "@"), let colon = rest[..<at].firstIndex(of: ":") else { continue }
      text += rest[...colon] + "…"
      rest = rest[at...]
    }
    return text + rest
  }
}

extension Substring {
  /// The standard library's own search needs string processing, which embedded Swift lacks.
  fileprivate func firstRange(of word: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(word) { return start..<index(start, offsetBy: word.count) }
      formIndex(after: &start)
    }
    return nil
  }
}
