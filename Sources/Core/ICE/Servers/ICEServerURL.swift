public import MediaCore

/// Where a STUN or TURN server is and how it is reached (RFC 7064, RFC 7065).
///
///     stun:host[:port]
///     turn:host[:port][?transport=udp|tcp]
///     turns:host[:port][?transport=tcp]
public struct ICEServerURL: Hashable, Sendable {
  /// What the server does.
  public enum Kind: Hashable, Sendable {
    /// Returns the address under which this side is seen.
    case stun
    /// Relays.
    case turn
  }

  /// How the server is reached.
  public enum Transport: Hashable, Sendable {
    case udp
    case tcp
    /// TLS over TCP.
    case tls
  }

  /// What the server does: the scheme.
  public var kind: Kind
  /// UDP unless the scheme or the parameter says otherwise.
  public var transport: Transport
  /// A name or a numeric address, IPv6 without brackets.
  public var host: String
  /// 3478, or 5349 for `turns:`, where the URL names none.
  public var port: UInt16

  /// The address where the host is given as one; names have to be looked up.
  public var address: TransportAddress? { TransportAddress(host: host, port: port) }
}

extension ICEServerURL {
  /// Longer ones are never needed: a host name has at most 253 octets.
  private static let maximumLength = 300
  private static let defaultPort: UInt16 = 3478
  private static let defaultTLSPort: UInt16 = 5349

  /// Parses a URL of at most 300 octets.
  ///
  /// - Throws: ``ICEServerURLError``, which names the URL without its secrets.
  public init(_ text: String) throws(ICEServerURLError) {
    do {
      self = try Self.parse(text)
    } catch {
      throw ICEServerURLError(text, error)
    }
  }

  private static func parse(_ text: String) throws(ICEServerURLError.Problem) -> ICEServerURL {
    guard text.utf8.count <= maximumLength else { throw .tooLong }
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .badHost }
    guard let colon = text.firstIndex(of: ":") else { throw .unknownScheme }
    let rest = text[text.index(after: colon)...]
    let hostPort = rest.prefix { $0 != "?" }
    guard !hostPort.contains("@") else { throw .userInformation }
    let parameters = rest.dropFirst(hostPort.count + 1)
    let (kind, transport) = try parseTransport(text[..<colon].lowercased(), parameters.lowercased())
    let (host, port) = try parseHostPort(hostPort)
    return ICEServerURL(
      kind: kind, transport: transport, host: host,
      port: port ?? (transport == .tls ? defaultTLSPort : defaultPort))
  }

  private static func parseTransport(
    _ scheme: String, _ parameters: String
  ) throws(ICEServerURLError.Problem) -> (Kind, Transport) {
    switch (scheme, parameters) {
    case ("stun", ""): return (.stun, .udp)
    case ("stuns", _): throw .encryptedSTUN
    case ("turn", ""), ("turn", "transport=udp"): return (.turn, .udp)
    case ("turn", "transport=tcp"): return (.turn, .tcp)
    case ("turns", ""), ("turns", "transport=tcp"): return (.turn, .tls)
    case ("turns", "transport=udp"): throw .datagramTLS
    case ("stun", _), ("turn", _), ("turns", _): throw .unknownParameter
    default: throw .unknownScheme
    }
  }

  private static func parseHostPort(
    _ text: Substring
  ) throws(ICEServerURLError.Problem) -> (host: String, port: UInt16?) {
    let hostEnd = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
    let host = text[..<(hostEnd ?? text.endIndex)]
    let port = text[host.endIndex...]
    guard let name = parseHost(host) else { throw .badHost }
    guard !port.isEmpty else { return (name, nil) }
    let digits = port.dropFirst()
    guard port.first == ":", digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits), number > 0
    else { throw .badPort }
    return (name, number)
  }

  private static func parseHost(_ text: Substring) -> String? {
    if text.hasPrefix("["), text.hasSuffix("]") {
      let literal = text.dropFirst().dropLast()
      return literal.contains(":") && TransportAddress(host: literal, port: 0) != nil ? String(literal) : nil
    }
    let isName = !text.isEmpty && text.utf8.count <= 253 && text.utf8.allSatisfy(isNameOctet)
    return isName && !text.hasPrefix(".") && !text.hasPrefix("-") ? String(text) : nil
  }

  private static func isNameOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension ICEServerURL: CustomStringConvertible {
  /// The URL as RFC 7064 and RFC 7065 write it, its port included.
  public var description: String {
    let scheme = kind == .stun ? "stun" : transport == .tls ? "turns" : "turn"
    let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    return "\(scheme):\(authority)\(transport == .tcp ? "?transport=tcp" : "")"
  }
}
