/// Reads the small XML documents with which object stores answer: nested elements with text in the innermost.
///
/// Attributes, comments and declarations are skipped; a document type, which could define entities, is refused. Depth, length
/// and number of elements are bounded.
public struct XMLLeaves {
  /// An element without elements in it.
  public struct Leaf: Hashable, Sendable {
    /// Names from the outermost element on.
    public var path: [String]
    public var text: String
  }

  /// The octets are no such document.
  public struct Malformed: Error, Hashable, Sendable {}

  /// Longer documents are refused; a list of 1,000 parts, which some stores send for any request, has 400 kB.
  public static let maximumByteCount = 1_048_576
  private static let deepest = 8
  private static let longestText = 4_096
  private static let maxLeaves = 16_384

  private var rest: Substring.UTF8View
  private var path: [String] = []
  private var text: [UInt8] = []
  /// Whether the element that is open has had none within it.
  private var isInnermost = false
  private var leaves: [Leaf] = []

  /// The leaves in the document's order.
  public static func read(_ octets: [UInt8]) throws(Malformed) -> [Leaf] {
    guard octets.count <= maximumByteCount, let document = String(validating: octets, as: UTF8.self) else {
      throw Malformed()
    }
    var reader = XMLLeaves(rest: document[...].utf8)
    return try reader.read()
  }

  private init(rest: Substring.UTF8View) { self.rest = rest }

  private mutating func read() throws(Malformed) -> [Leaf] {
    while !rest.isEmpty {
      if rest.first == UInt8(ascii: "<") { try readMarkup() } else { try readText() }
    }
    guard path.isEmpty, !leaves.isEmpty else { throw Malformed() }
    return leaves
  }

  private mutating func readText() throws(Malformed) {
    let run = rest.prefix { $0 != UInt8(ascii: "<") }
    rest = rest.dropFirst(run.count)
    guard text.count + run.count <= Self.longestText else { throw Malformed() }
    text += run
  }

  private mutating func readMarkup() throws(Malformed) {
    if rest.starts(with: "<!--".utf8) { return try skip(past: "-->") }
    if rest.starts(with: "<?".utf8) { return try skip(past: "?>") }
    guard !rest.starts(with: "<!".utf8), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { throw Malformed() }
    let tag = rest[rest.index(after: rest.startIndex)..<end]
    rest = rest[rest.index(after: end)...]
    if tag.first == UInt8(ascii: "/") { return try close(Self.name(tag.dropFirst())) }
    try open(Self.name(tag))
    if tag.last == UInt8(ascii: "/") { try close(path.last ?? "") }
  }

  private mutating func skip(past end: String) throws(Malformed) {
    while !rest.starts(with: end.utf8) {
      guard !rest.isEmpty else { throw Malformed() }
      rest.removeFirst()
    }
    rest = rest.dropFirst(end.utf8.count)
  }

  private mutating func open(_ name: String) throws(Malformed) {
    guard !name.isEmpty, path.count < Self.deepest else { throw Malformed() }
    path.append(name)
    text = []
    isInnermost = true
  }

  private mutating func close(_ name: String) throws(Malformed) {
    guard path.last == name else { throw Malformed() }
    if isInnermost {
      guard leaves.count < Self.maxLeaves else { throw Malformed() }
      leaves.append(Leaf(path: path, text: try Self.unescaped(String(decoding: text, as: UTF8.self))))
    }
    path.removeLast()
    text = []
    isInnermost = false
  }

  /// Without attributes, and without a namespace's prefix.
  private static func name(_ tag: Substring.UTF8View) -> String {
    let whole = tag.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
    return String(Substring(whole).split(separator: ":").last ?? "")
  }

  private static func unescaped(_ text: String) throws(Malformed) -> String {
    var parts = text.split(separator: "&", omittingEmptySubsequences: false)[...]
    var result = String(parts.removeFirst())
    for part in parts {
      guard let end = part.firstIndex(of: ";"), let character = character(part[..<end]) else { throw Malformed() }
      result += String(character) + part[part.index(after: end)...]
    }
    return result
  }

  private static func character(_ name: Substring) -> Character? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHexadecimal = name.hasPrefix("#x")
      guard name.hasPrefix("#"),
        let code = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
      else { return nil }
      return Unicode.Scalar(code).map { Character($0) }
    }
  }
}

extension String {
  /// Escapes XML's reserved characters.
  var escapedForXML: String {
    reduce(into: "") { text, character in
      switch character {
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "&": text += "&amp;"
      case "\"": text += "&quot;"
      default: text.append(character)
      }
    }
  }
}
