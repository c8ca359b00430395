/// What proxies say of a request's way, in `X-Forwarded-For` or `Forwarded` (RFC 7239).
public struct ForwardingHeaders: Sendable {
  /// The fields' values, in the order in which they came.
  private let forwardedFor: [String]
  private let forwarded: [String]

  public init(forwardedFor: [String], forwarded: [String]) {
    self.forwardedFor = forwardedFor
    self.forwarded = forwarded
  }

  /// The address nearest to the hub that is no trusted proxy's.
  ///
  /// Each proxy adds who asked it at the right. What stands left of an address that is not trusted, or that cannot be
  /// read, was written by anonymous. A proxy writes one of the two headers and may pass the other one on from a client,
  /// who could claim any address there: where they differ, the proxy's own address counts.
  public func client(behind peer: IPAddress, trustedProxies: [AddressRange]) -> IPAddress {
    let isTrusted = { (address: IPAddress) in trustedProxies.contains { $0.contains(address) } }
    guard isTrusted(peer) else { return peer }
    let claims = [forwardedFor.flatMap(Self.addresses), forwarded.flatMap(Self.forwardedAddresses)]
      .filter { !$0.isEmpty }.map { Self.nearest($0, behind: peer, isTrusted: isTrusted) }
    guard let claim = claims.first, claims.allSatisfy({ $0 == claim }) else { return peer }
    return claim
  }

  private static func nearest(
    _ hops: [IPAddress?], behind peer: IPAddress, isTrusted: (IPAddress) -> Bool
  ) -> IPAddress {
    var nearest = peer
    for hop in hops.reversed() {
      guard let hop else { return nearest }
      nearest = hop
      guard isTrusted(hop) else { return nearest }
    }
    return nearest
  }

  /// The elements of an `X-Forwarded-For`; nil for those that are no addresses.
  private static func addresses(_ value: String) -> [IPAddress?] {
    value.split(separator: ",", omittingEmptySubsequences: false).map { address($0) }
  }

  /// The `for` of each element of a `Forwarded`; nil where there is none, or a name in the place of an address.
  private static func forwardedAddresses(_ value: String) -> [IPAddress?] {
    value.split(separator: ",", omittingEmptySubsequences: false).map { element in
      for pair in element.split(separator: ";") {
        let sides = pair.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, trimmed(sides[0]).lowercased() == "for" else { continue }
        return address(sides[1])
      }
      return nil
    }
  }

  /// `192.0.2.7`, `192.0.2.7:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`, in quotes or not.
  private static func address(_ text: Substring) -> IPAddress? {
    var text = trimmed(text)
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      return IPAddress(text[text.index(after: text.startIndex)..<end])
    }
    guard let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") else { return IPAddress(text) }
    return IPAddress(text[..<colon])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}

extension IPAddress {
  /// What identifies places: an IPv4 address, or the 64 bits that an IPv6 network has in common, since one host has all
  /// addresses of such a network.
  public var origin: String {
    isIPv4 ? "4/\(String(low & 0xFFFF_FFFF, radix: 16))" : "6/\(String(high, radix: 16))"
  }

  /// The same for people: `192.0.2.1`, or `2001:db8:0:1::/64`.
  public var readableOrigin: String {
    if isIPv4 {
      return stride(from: UInt64(24), through: 0, by: -8).map { "\(low >> $0 & 0xFF)" }.joined(separator: ".")
    }
    let words = stride(from: UInt64(48), through: 0, by: -16).map { String(high >> $0 & 0xFFFF, radix: 16) }
    return words.joined(separator: ":") + "::/64"
  }
}
