/// A server and its service's base path, as an `http` or `https` URL names them.
public struct HTTPOrigin: Sendable, Hashable {
  public let isSecure: Bool
  /// A name or a numeric address (IPv6 without brackets).
  public let host: String
  public let port: Int
  /// Comes before the path of every request; without a slash at its end.
  public let pathPrefix: String
  /// The value of the `Host` field (RFC 9110 §7.2).
  public let hostField: String

  /// `nil` unless `url` is `http://` or `https://`, host, optional port and path, all of printable ASCII, without user,
  /// query or fragment.
  public init?(_ url: String) {
    guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else { return nil }
    let rest = url.dropFirst(scheme.count)
    guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !rest.contains(where: { "?#@\\".contains($0) }) else {
      return nil
    }
    isSecure = scheme == "https://"
    let authority = rest.prefix { $0 != "/" }
    guard let (host, port) = Self.split(authority, defaultPort: isSecure ? 443 : 80) else { return nil }
    var path = rest.dropFirst(authority.count)
    while path.hasSuffix("/") { path.removeLast() }
    self.host = host
    self.port = port
    pathPrefix = String(path)
    let name = host.contains(":") ? "[\(host)]" : host
    hostField = port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  private static func split(_ authority: Substring, defaultPort: Int) -> (host: String, port: Int)? {
    let isBracketed = authority.hasPrefix("[")
    guard let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":") ?? authority.endIndex
    else { return nil }
    let host = isBracketed ? authority[..<end].dropFirst() : authority[..<end]
    guard !host.isEmpty, host.contains(":") == isBracketed else { return nil }
    let rest = isBracketed ? authority[authority.index(after: end)...] : authority[end...]
    if rest.isEmpty { return (String(host), defaultPort) }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits), port > 0 else {
      return nil
    }
    return (String(host), Int(port))
  }
}

extension HTTPOrigin: CustomStringConvertible {
  /// The URL without a slash at its end, and without the port that its scheme means anyway.
  public var description: String { (isSecure ? "https://" : "http://") + hostField + pathPrefix }
}
