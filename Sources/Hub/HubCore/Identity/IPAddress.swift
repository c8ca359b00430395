internal import MediaCore

/// An IPv4 or IPv6 address without a port.
///
/// An IPv4 address that comes mapped into IPv6 (RFC 4291, section 2.5.5.2) is the IPv4 address: a socket that listens
/// for both reports it that way.
public struct IPAddress: Hashable, Sendable {
  /// The sixteen bytes of the IPv6 or mapped IPv4 address as two numbers.
  let high: UInt64
  let low: UInt64
  private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses a numeric address: no names, ports, brackets or zones.
  public init?(_ text: some StringProtocol) {
    guard let address = TransportAddress(host: text, port: 0) else { return nil }
    if let ipv4 = address.ipv4 {
      self.init(high: 0, low: Self.mappedPrefix | UInt64(ipv4))
    } else {
      self.init(high: address.high, low: address.low)
    }
  }

  public var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix >> 32 }
}
