/// Where a push service takes messages for one browser: an `https` URL that a client names, so not to be trusted.
///
/// The rules here are about the text; what its host's name leads to is checked with ``IPAddress/isPublic`` each time it is
/// looked up.
public struct PushEndpoint: Sendable, Equatable {
  /// Octets of a URL.
  public static let longest = 2_048

  /// `https://` or `http://`, host and port: what logs may show.
  public let origin: String
  /// Path and query: those who know them can ring the browser, so they are secret.
  public let path: String
  /// A name or a numeric address, without brackets.
  public let host: String
  public let port: UInt16
  /// Whether the operator has named the host, so that its addresses need not be public.
  public let isTrusted: Bool

  /// Refuses what is no URL of a push service.
  ///
  /// - Parameter services: push services that the operator has named.
  public init(_ url: String, services: [PushServiceName]) throws(HubRefusal) {
    guard url.utf8.count <= Self.longest, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }) else {
      throw Self.refusal("must be a URL of printable ASCII, at most \(Self.longest) bytes")
    }
    guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else {
      throw Self.refusal("must begin with https://")
    }
    let rest = url.dropFirst(scheme.count)
    let authority = rest.prefix { !"/?#".contains($0) }
    let path = rest.dropFirst(authority.count)
    guard !path.contains("#"), !authority.contains("@") else {
      throw Self.refusal("must have neither user nor fragment")
    }
    guard let place = PushServiceName(scheme + authority) else { throw Self.refusal("has no valid host and port") }
    isTrusted = services.contains(place)
    guard isTrusted || place.isOrdinary else {
      throw Self.refusal("must be at a name on port 443, with https")
    }
    (host, port) = (place.host, place.port)
    origin = place.description
    self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
  }

  /// Why a subscription of this endpoint is refused.
  public static func refusal(_ reason: String) -> HubRefusal { .invalid(field: "endpoint", reason: reason) }
}

/// A push service's scheme, host and port, as `push.example.org`, `push.example.org:8443`, and for tests
/// `http://127.0.0.1:8099`.
public struct PushServiceName: Sendable, Hashable {
  public let isSecure: Bool
  /// In lower case, without brackets.
  public let host: String
  public let port: UInt16

  /// Nil for what is no host: names have letters, digits, `-` and `_`, numeric addresses their usual form (IPv6 in
  /// brackets). What resolvers would read as an address though it looks otherwise (`127.1`, `0x7f000001`, `2130706433`,
  /// `127.0.0.1.`) is none.
  public init?(_ text: String) {
    let text = text.lowercased()
    let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
    let authority = text.dropFirst(scheme?.count ?? 0)
    isSecure = scheme != "http://"
    guard let (host, rest) = Self.split(authority), Self.isHost(host, isBracketed: authority.hasPrefix("[")) else {
      return nil
    }
    self.host = String(host)
    if rest.isEmpty {
      port = isSecure ? 443 : 80
      return
    }
    let digits = rest.dropFirst()
    guard rest.first == ":", (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isDigit),
      let port = UInt16(digits), port > 0
    else { return nil }
    self.port = port
  }

  /// Whether a browser may have it without the operator's word: push services are known by name.
  var isOrdinary: Bool { isSecure && port == 443 && IPAddress(host) == nil && host.contains(".") }

  private static func split(_ authority: Substring) -> (host: Substring, rest: Substring)? {
    guard authority.hasPrefix("[") else {
      let host = authority.prefix { $0 != ":" }
      return (host, authority.dropFirst(host.count))
    }
    guard let end = authority.firstIndex(of: "]") else { return nil }
    return (authority[..<end].dropFirst(), authority[authority.index(after: end)...])
  }

  private static func isHost(_ host: Substring, isBracketed: Bool) -> Bool {
    if isBracketed { return host.contains(":") && IPAddress(host) != nil }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { return false }
    // A host whose last label is a number is an address to resolvers, in whatever notation (WHATWG URL, 3.5).
    guard last.utf8.allSatisfy(isDigit) || last.hasPrefix("0x") else { return true }
    return labels.allSatisfy { $0 == "0" || !$0.hasPrefix("0") } && IPAddress(host) != nil
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
}

extension PushServiceName: CustomStringConvertible {
  /// A URL without path, and without the port that its scheme means anyway.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return (isSecure ? "https://" : "http://") + name + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
  }
}
