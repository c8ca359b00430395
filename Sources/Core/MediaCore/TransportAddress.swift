/// An IPv4 or IPv6 address with a UDP or TCP port.
public struct TransportAddress: Hashable, Sendable {
  /// Address bytes in network order in the high bits: IPv4 uses the first four of the sixteen.
  public var high: UInt64
  /// The last eight bytes of an IPv6 address; 0 for IPv4.
  public var low: UInt64
  /// In the machine's order; 0 where none is known.
  public var port: UInt16
  /// The family: IPv6, or IPv4.
  public var isIPv6: Bool

  /// - Parameter ipv4: the address as a number, 127.0.0.1 being 0x7F000001.
  @inlinable
  public init(ipv4: UInt32, port: UInt16) {
    high = UInt64(ipv4) << 32
    low = 0
    self.port = port
    isIPv6 = false
  }

  /// - Parameters:
  ///   - high: the first eight bytes of the address as a number.
  ///   - low: the last eight.
  @inlinable
  public init(ipv6 high: UInt64, _ low: UInt64, port: UInt16) {
    self.high = high
    self.low = low
    self.port = port
    isIPv6 = true
  }

  /// The IPv4 address as a number, or nil for IPv6.
  @inlinable
  public var ipv4: UInt32? { isIPv6 ? nil : UInt32(high >> 32) }
}

extension TransportAddress {
  /// Parses a numeric IPv4 or IPv6 address (no names, no zones). Returns nil for anything else.
  public init?(host: some StringProtocol, port: UInt16) {
    if let ipv4 = Self.parseIPv4(host) {
      self.init(ipv4: ipv4, port: port)
    } else if let (high, low) = Self.parseIPv6(host) {
      self.init(ipv6: high, low, port: port)
    } else {
      return nil
    }
  }

  private static func parseIPv4(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var address: UInt32 = 0
    for part in parts {
      guard part.count <= 3, part.utf8.allSatisfy({ (48...57).contains($0) }), let byte = UInt8(part) else {
        return nil
      }
      address = address << 8 | UInt32(byte)
    }
    return address
  }

  private static func parseIPv6(_ text: some StringProtocol) -> (UInt64, UInt64)? {
    guard text.utf8.contains(UInt8(ascii: ":")), text.utf8.count <= 45 else { return nil }
    let groups = text.split(separator: ":", omittingEmptySubsequences: false).map { $0 }
    guard groups.count <= 9, let words = expand(groups.map { String($0) }) else { return nil }
    let high = words[0..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
    let low = words[4..<8].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
    return (high, low)
  }

  /// Turns colon-separated groups, one run of which may be empty ("::"), into eight 16-bit groups.
  private static func expand(_ groups: [String]) -> [UInt16]? {
    var head: [UInt16] = []
    var tail: [UInt16] = []
    var compressed = false
    for (index, group) in groups.enumerated() {
      if group.isEmpty {
        let atEdge = index == 0 || index == groups.count - 1
        if atEdge && groups.count > 2 && groups[index == 0 ? 1 : index - 1].isEmpty { continue }
        guard !compressed, !atEdge || groups.count == 3 else { return nil }
        compressed = true
        continue
      }
      let isLast = index == groups.count - 1
      if isLast, let ipv4 = parseIPv4(group) {
        let pair = [UInt16(ipv4 >> 16), UInt16(truncatingIfNeeded: ipv4)]
        if compressed { tail += pair } else { head += pair }
        continue
      }
      guard group.utf8.count <= 4, let word = UInt16(group, radix: 16), group.first != "+" else { return nil }
      if compressed { tail.append(word) } else { head.append(word) }
    }
    let missing = 8 - head.count - tail.count
    guard compressed ? missing >= 1 : missing == 0 else { return nil }
    return head + [UInt16](repeating: 0, count: max(missing, 0)) + tail
  }
}

extension TransportAddress: CustomStringConvertible {
  /// The address without its port, IPv6 in full groups without brackets.
  public var host: String {
    if let ipv4 {
      return (0..<4).map { String(UInt8(truncatingIfNeeded: ipv4 >> (24 - 8 * UInt32($0)))) }.joined(separator: ".")
    }
    let words = (0..<8).map { index -> UInt16 in
      let half = index < 4 ? high : low
      return UInt16(truncatingIfNeeded: half >> (48 - 16 * UInt64(index % 4)))
    }
    return words.map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// `192.0.2.1:3478` or `[2001:db8::1]:3478`.
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
