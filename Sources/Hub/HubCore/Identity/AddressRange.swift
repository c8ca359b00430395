/// The addresses that share a prefix: `192.0.2.7`, `10.0.0.0/8`, `fd00::/8`.
public struct AddressRange: Hashable, Sendable {
  private let base: IPAddress
  /// Of the 128 bits; those of an IPv4 address are the last 32.
  private let prefixLength: Int

  /// The addresses that share the first `prefixLength` of 128 bits with `address`.
  init(around address: IPAddress, prefixLength: Int) {
    self.prefixLength = prefixLength
    base = address.masked(to: prefixLength)
  }

  /// Parses an address, or an address with the length of its prefix (CIDR, RFC 4632); bits behind the prefix do not count.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
    let bits = parts[0].contains(":") ? 128 : 32
    guard parts.count == 2 else {
      self.init(around: address, prefixLength: 128)
      return
    }
    guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(parts[1]), length <= bits else {
      return nil
    }
    self.init(around: address, prefixLength: 128 - bits + length)
  }

  public func contains(_ address: IPAddress) -> Bool { address.masked(to: prefixLength) == base }
}

extension IPAddress {
  fileprivate func masked(to length: Int) -> IPAddress {
    IPAddress(high: high & Self.mask(length), low: low & Self.mask(length - 64))
  }

  /// The first `length` of 64 bits; a shift by the whole width or more leaves none.
  private static func mask(_ length: Int) -> UInt64 { length <= 0 ? 0 : UInt64.max << max(64 - length, 0) }
}
