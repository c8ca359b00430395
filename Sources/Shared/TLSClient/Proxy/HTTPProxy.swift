/// A proxy that makes tunnels by CONNECT (RFC 9110 §9.3.6), and the user as whom it is asked.
public struct HTTPProxy: Sendable, Hashable {
  /// A name or a numeric address (IPv6 without brackets).
  public let host: String
  public let port: UInt16
  /// The value of `Proxy-Authorization`. Secret.
  let authorization: String?

  /// - Parameters:
  ///   - url: `http://[user:password@]host[:port]`, percent-encoded where needed, or without the scheme; the port is 3128
  ///     by default.
  ///   - credentials: `user:password` as it is, in place of that of the URL.
  /// - Returns: nil for anything else, such as a proxy that is itself reached by TLS.
  public init?(_ url: String, credentials: String? = nil) {
    guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    var rest = url[...]
    if let scheme = rest.firstRange(of: "://") {
      guard rest[..<scheme.lowerBound].lowercased() == "http" else { return nil }
      rest = rest[scheme.upperBound...]
    }
    while rest.hasSuffix("/") { rest.removeLast() }
    var user = credentials
    if let at = rest.lastIndex(of: "@") {
      guard let written = Self.decoded(rest[..<at]) else { return nil }
      user = user ?? written
      rest = rest[rest.index(after: at)...]
    }
    guard !rest.contains(where: { "/?#\\".contains($0) }), let place = Self.place(rest) else { return nil }
    (host, port) = place
    if let user, !user.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) { return nil }
    authorization = user.map { "Basic " + Self.base64(Array(($0.contains(":") ? $0 : $0 + ":").utf8)) }
  }

  /// The same proxy, asked as this user (`user:password`); without one as nobody.
  public func with(credentials: String?) -> HTTPProxy {
    let place = host.contains(":") ? "[\(host)]" : host
    return HTTPProxy("\(place):\(port)", credentials: credentials) ?? self
  }

  public var hasCredentials: Bool { authorization != nil }

  private static func place(_ text: Substring) -> (String, UInt16)? {
    let isBracketed = text.hasPrefix("[")
    guard let end = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex else {
      return nil
    }
    let host = isBracketed ? text[..<end].dropFirst() : text[..<end]
    let rest = isBracketed ? text[text.index(after: end)...] : text[end...]
    guard !host.isEmpty, host.contains(":") == isBracketed else { return nil }
    if rest.isEmpty { return (String(host), 3_128) }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits), port > 0
    else { return nil }
    return (String(host), port)
  }

  /// Percent-decodes; nil where that leads to no text.
  private static func decoded(_ text: Substring) -> String? {
    var octets: [UInt8] = []
    var rest = text.utf8
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      octets.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: octets, as: UTF8.self)
  }

  private static func base64(_ octets: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: octets.count, by: 3) {
      let part = octets[start..<min(start + 3, octets.count)]
      let value = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32(start + $1 < octets.count ? octets[start + $1] : 0) }
      for index in 0..<4 {
        text.append(index <= part.count ? alphabet[Int(value >> (18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension HTTPProxy: CustomStringConvertible, CustomReflectable {
  /// Without credentials.
  public var description: String { "http://" + authority(of: host, port: Int(port)) }
  public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}

/// As the target of CONNECT has it.
func authority(of host: String, port: Int) -> String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
