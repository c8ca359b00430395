extension IPAddress {
  /// Whether the address belongs to a host of the public internet, as IANA's registries of special-purpose addresses have
  /// it (RFC 6890): no loopback, private, link-local, shared, multicast, reserved or documentation address, and no IPv6
  /// address that stands for one of these.
  public var isPublic: Bool {
    if isIPv4 { return !Self.specialIPv4.contains { $0.contains(self) } }
    // NAT64 (RFC 6052 §2.1): the last 32 bits are the IPv4 address that is reached.
    if Self.nat64.contains(self) { return embeddedIPv4.isPublic }
    return Self.globalUnicast.contains(self) && !Self.specialIPv6.contains { $0.contains(self) }
  }

  private var embeddedIPv4: IPAddress { IPAddress(high: 0, low: 0xFFFF_0000_0000 | low & 0xFFFF_FFFF) }

  private static let nat64 = ranges("64:ff9b::/96")[0]
  private static let globalUnicast = ranges("2000::/3")[0]

  private static let specialIPv4 = ranges(
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4")

  /// Within global unicast: protocol assignments with Teredo, documentation, 6to4 (which carries any IPv4 address).
  private static let specialIPv6 = ranges("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

  private static func ranges(_ texts: String...) -> [AddressRange] {
    let ranges = texts.compactMap { AddressRange($0) }
    precondition(ranges.count == texts.count)
    return ranges
  }
}
