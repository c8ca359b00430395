/// The STUN and TURN servers that `Link` fields with `rel="ice-server"` name (RFC 9725 §4.6, RFC 8288 §3).
public enum ICEServerLinks {
  /// Servers that are taken at most.
  public static let maximumCount = 16
  /// Octets of all fields together that are read at most.
  public static let maximumByteCount = 8_192

  /// - Parameter fields: the values of all `Link` fields. What is malformed is passed over.
  public static func servers(in fields: [String]) -> [ICEServer] {
    var servers: [ICEServer] = []
    var room = maximumByteCount
    for field in fields {
      guard field.utf8.count <= room else { break }
      room -= field.utf8.count
      var reader = LinkReader(field)
      while servers.count < maximumCount, let link = reader.next() {
        if let server = link.iceServer { servers.append(server) }
      }
    }
    return servers
  }
}

/// One link of a field.
private struct Link {
  var target: String
  /// Names in lower case; of those that come twice the first counts.
  var parameters: [(name: String, value: String)] = []

  func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Nil for a link of another kind, and for credentials that are no password.
  var iceServer: ICEServer? {
    let relations = parameter("rel")?.split(separator: " ") ?? []
    guard relations.contains(where: { $0.lowercased() == "ice-server" }), !target.isEmpty,
      (parameter("credential-type") ?? "password").lowercased() == "password"
    else { return nil }
    return ICEServer(urls: [target], username: parameter("username"), credential: parameter("credential"))
  }
}

/// Reads the links of a field one by one.
private struct LinkReader {
  private var rest: Substring.UTF8View

  init(_ field: String) { rest = field[...].utf8 }

  /// The next link; nil at the end, or where what follows is none.
  mutating func next() -> Link? {
    while takeBlanks() || take(",") {}
    guard take("<"), let target = takeText(until: ">") else { return nil }
    var link = Link(target: target)
    takeBlanks()
    while take(";") {
      takeBlanks()
      let name = takeToken().lowercased()
      takeBlanks()
      let value = take("=") ? takeValue() : ""
      takeBlanks()
      guard let value else { return nil }
      if link.parameters.count < 16, !name.isEmpty { link.parameters.append((name, value)) }
    }
    return link
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  @discardableResult
  private mutating func takeBlanks() -> Bool {
    let count = rest.count
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    return rest.count < count
  }

  private mutating func takeText(until end: Unicode.Scalar) -> String? {
    guard let index = rest.firstIndex(of: UInt8(ascii: end)) else { return nil }
    let text = rest[..<index]
    rest = rest[rest.index(after: index)...]
    return text.allSatisfy { (0x21...0x7E).contains($0) } ? String(Substring(text)) : nil
  }

  private mutating func takeToken() -> String {
    let token = rest.prefix { $0 > 0x20 && $0 < 0x7F && !"=;,\"<>".utf8.contains($0) }
    rest = rest[token.endIndex...]
    return String(Substring(token))
  }

  /// A token or a quoted string; nil where the quotation does not end.
  private mutating func takeValue() -> String? {
    takeBlanks()
    guard take("\"") else { return takeToken() }
    var bytes: [UInt8] = []
    while var byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst() else { return nil }
        byte = escaped
      }
      bytes.append(byte)
    }
    return nil
  }
}
