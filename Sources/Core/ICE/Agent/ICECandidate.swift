public import MediaCore

/// How a candidate's address was found (RFC 8445 §5.1.1).
public enum ICECandidateKind: UInt8, Sendable, Hashable {
  case host
  case serverReflexive
  case peerReflexive
  case relayed

  /// The recommended type preference (RFC 8445 §5.1.2.2).
  var typePreference: UInt32 {
    switch self {
    case .host: 126
    case .peerReflexive: 110
    case .serverReflexive: 100
    case .relayed: 0
    }
  }
}

/// An address at which one side may be reached over UDP, component 1 (RTP and RTCP share it).
public struct ICECandidate: Hashable, Sendable {
  /// How the address was found (RFC 8445 §4).
  public var kind: ICECandidateKind
  /// What the peer sends to.
  public var address: TransportAddress
  /// Where datagrams leave locally; equals `address` for host, relayed and all remote candidates.
  public var base: TransportAddress
  /// Higher is preferred (RFC 8445 §5.1.2); 1 to 2³¹ − 1.
  public var priority: UInt32
  /// Equal for candidates that are likely to fail together (RFC 8445 §5.1.1.3): 1 to 32 ICE characters.
  public var foundation: String

  /// - Parameter base: where datagrams leave locally; `address` if nil.
  public init(
    kind: ICECandidateKind, address: TransportAddress, base: TransportAddress? = nil, priority: UInt32,
    foundation: String
  ) {
    self.kind = kind
    self.address = address
    self.base = base ?? address
    self.priority = priority
    self.foundation = foundation
  }

  /// Makes a host candidate of our own.
  ///
  /// - Parameter localPreference: higher for the interface to be preferred; unique among addresses of one family.
  public static func host(_ address: TransportAddress, localPreference: UInt16 = .max) -> ICECandidate {
    ICECandidate(
      kind: .host, address: address, priority: makePriority(.host, localPreference: localPreference),
      foundation: makeFoundation(.host, base: address))
  }

  /// Makes a candidate of the address under which a STUN server sees one of our host addresses.
  public static func serverReflexive(
    _ address: TransportAddress, base: TransportAddress, server: TransportAddress, localPreference: UInt16
  ) -> ICECandidate {
    ICECandidate(
      kind: .serverReflexive, address: address, base: base,
      priority: makePriority(.serverReflexive, localPreference: localPreference),
      foundation: makeFoundation(.serverReflexive, base: base, server: server))
  }

  /// Makes a candidate of an address on a TURN server, from which datagrams leave as well.
  public static func relayed(
    _ address: TransportAddress, server: TransportAddress, localPreference: UInt16
  ) -> ICECandidate {
    ICECandidate(
      kind: .relayed, address: address, priority: makePriority(.relayed, localPreference: localPreference),
      foundation: makeFoundation(.relayed, base: address, server: server))
  }
}

extension ICECandidate {
  /// Computes a candidate's priority for component 1 (RFC 8445 §5.1.2.1).
  public static func makePriority(_ kind: ICECandidateKind, localPreference: UInt16) -> UInt32 {
    kind.typePreference << 24 | UInt32(localPreference) << 8 | 255
  }

  /// The priority that a peer shall give to our address if it learns it from a check (RFC 8445 §7.1.1).
  static func peerReflexivePriority(of priority: UInt32) -> UInt32 {
    ICECandidateKind.peerReflexive.typePreference << 24 | priority & 0x00FF_FFFF
  }

  /// Computes a foundation from its defining parts: kind, base address without port, and the server asked, if any.
  public static func makeFoundation(
    _ kind: ICECandidateKind, base: TransportAddress, server: TransportAddress? = nil
  ) -> String {
    var bytes = [kind.rawValue]
    for address in [base, server] {
      guard let address else { continue }
      bytes.append(address.isIPv6 ? 6 : 4)
      for shift in stride(from: 0, to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: address.high >> shift))
        bytes.append(UInt8(truncatingIfNeeded: address.low >> shift))
      }
    }
    return unsafe String(STUNFingerprint.crc32(bytes.span.bytes))
  }
}

extension ICECandidate {
  /// Whether the same server was asked over the same base, which the foundation names without its port.
  func isOfSameQuestion(as other: ICECandidate) -> Bool {
    kind == other.kind && base == other.base && foundation == other.foundation
  }
}

extension TransportAddress {
  /// Whether a datagram can be meant for one host at this address.
  var isUnicast: Bool {
    guard port != 0, high | low != 0 else { return false }
    if let ipv4 { return ipv4 >> 24 != 0 && ipv4 >> 28 < 14 }
    return high >> 56 != 0xFF
  }

  /// Same family, and a link-local IPv6 address only with its like (RFC 8445 §6.1.2.2).
  func canReach(_ other: TransportAddress) -> Bool {
    isIPv6 == other.isIPv6 && isLinkLocalIPv6 == other.isLinkLocalIPv6
  }

  private var isLinkLocalIPv6: Bool { isIPv6 && high >> 54 == 0xFE80 >> 6 }
}
