/// The page's `index.html`, and what it refers to.
struct PageIndex {
  /// A tag with the text after it, without the `<` before it.
  private let pieces: [Substring]

  init(_ text: String) {
    pieces = text.split(separator: "<", omittingEmptySubsequences: false)
  }

  /// The paths of its style sheets, in order: plain links alone, which hold for every medium.
  var styleSheets: [String] { pieces.compactMap { Self.styleSheet($0).map(String.init) } }

  /// The paths of the modules with which it starts.
  var modules: [String] {
    pieces.compactMap { piece in
      guard piece.hasPrefix("script type=\"module\" src=\"") else { return nil }
      return piece.split(separator: "\"", omittingEmptySubsequences: false)[3].description
    }
  }

  /// The text without indentation, with references to `files` below `folder`, and with `styles` in place of all style sheets, unless nil.
  func text(below folder: String, files: Set<String>, styles: String?) -> String {
    var (result, hasStyles): ([String], Bool) = ([], false)
    for piece in pieces {
      guard let styles, Self.styleSheet(piece) != nil else {
        result.append(Self.moved(piece, below: folder, files: files))
        continue
      }
      let rest = piece.drop { $0 != ">" }.dropFirst()
      if !hasStyles { result.append("link rel=\"stylesheet\" href=\"\(folder)/\(styles)\">\(rest)") }
      hasStyles = true
    }
    return Self.withoutIndentation(result.joined(separator: "<"))
  }

  /// A browser shows white space as one space, unless a style says otherwise of what has text.
  private static func withoutIndentation(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func styleSheet(_ piece: Substring) -> Substring? {
    let begin = "link rel=\"stylesheet\" href=\""
    guard piece.hasPrefix(begin) else { return nil }
    let path = piece.dropFirst(begin.count).prefix { $0 != "\"" }
    return piece.dropFirst(begin.count + path.count).hasPrefix("\">") ? path : nil
  }

  /// A tag whose `href` or `src` names a file. The manifest's own paths begin where it is, and other pages are no part of this.
  private static func moved(_ piece: Substring, below folder: String, files: Set<String>) -> String {
    let tag = piece.prefix { $0 != ">" }
    var words = tag.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in words.indices {
      for attribute in ["href=\"", "src=\""] where words[index].hasPrefix(attribute) {
        let path = words[index].dropFirst(attribute.count).prefix { $0 != "\"" }
        let isKept = files.contains(String(path)) && !path.hasSuffix(".webmanifest") && !path.hasSuffix(".html")
        if isKept { words[index] = "\(attribute)\(folder)/\(words[index].dropFirst(attribute.count))" }
      }
    }
    return words.joined(separator: " ") + piece.dropFirst(tag.count)
  }
}
