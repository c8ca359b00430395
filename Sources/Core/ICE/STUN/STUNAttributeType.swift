/// A STUN attribute's type code (RFC 8489 §18.3, RFC 8445 §16.1, RFC 8656 §18).
public struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
  /// 0x0000 to 0x7FFF must be understood, 0x8000 to 0xFFFF may be ignored (RFC 8489 §14).
  public var rawValue: UInt16

  /// Accepts any code, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// USERNAME: `remote:local` fragments in ICE, a name in TURN (RFC 8489 §14.3).
  public static let username = STUNAttributeType(rawValue: 0x0006)
  /// MESSAGE-INTEGRITY: HMAC-SHA-1, 20 octets (RFC 8489 §14.5).
  public static let messageIntegrity = STUNAttributeType(rawValue: 0x0008)
  /// ERROR-CODE: a number from 300 to 699, and a reason (RFC 8489 §14.8).
  public static let errorCode = STUNAttributeType(rawValue: 0x0009)
  /// UNKNOWN-ATTRIBUTES: the types that a request was refused for (RFC 8489 §14.13).
  public static let unknownAttributes = STUNAttributeType(rawValue: 0x000A)
  /// CHANNEL-NUMBER: 0x4000 to 0x4FFF (RFC 8656 §18.1).
  public static let channelNumber = STUNAttributeType(rawValue: 0x000C)
  /// LIFETIME of an allocation in seconds (RFC 8656 §18.2).
  public static let lifetime = STUNAttributeType(rawValue: 0x000D)
  /// XOR-PEER-ADDRESS: a peer behind the relay (RFC 8656 §18.3).
  public static let xorPeerAddress = STUNAttributeType(rawValue: 0x0012)
  /// DATA: a datagram to or from a peer (RFC 8656 §18.4).
  public static let data = STUNAttributeType(rawValue: 0x0013)
  /// REALM of the long-term credentials (RFC 8489 §14.9).
  public static let realm = STUNAttributeType(rawValue: 0x0014)
  /// NONCE of the long-term credentials (RFC 8489 §14.10).
  public static let nonce = STUNAttributeType(rawValue: 0x0015)
  /// XOR-RELAYED-ADDRESS: what the TURN server allocated (RFC 8656 §18.5).
  public static let xorRelayedAddress = STUNAttributeType(rawValue: 0x0016)
  /// REQUESTED-ADDRESS-FAMILY: 1 for IPv4, 2 for IPv6 (RFC 8656 §18.6).
  public static let requestedAddressFamily = STUNAttributeType(rawValue: 0x0017)
  /// REQUESTED-TRANSPORT: 17 for UDP (RFC 8656 §18.8).
  public static let requestedTransport = STUNAttributeType(rawValue: 0x0019)
  /// XOR-MAPPED-ADDRESS: where the server saw the request come from (RFC 8489 §14.2).
  public static let xorMappedAddress = STUNAttributeType(rawValue: 0x0020)
  /// PRIORITY of a peer-reflexive candidate that the check may make (RFC 8445 §16.1).
  public static let priority = STUNAttributeType(rawValue: 0x0024)
  /// USE-CANDIDATE: the controlling side nominates; no value (RFC 8445 §16.1).
  public static let useCandidate = STUNAttributeType(rawValue: 0x0025)
  /// SOFTWARE: a textual description of the sender (RFC 8489 §14.14).
  public static let software = STUNAttributeType(rawValue: 0x8022)
  /// FINGERPRINT: CRC-32 XORed with 0x5354554E (RFC 8489 §14.7).
  public static let fingerprint = STUNAttributeType(rawValue: 0x8028)
  /// ICE-CONTROLLED: a tie-breaker of 64 bits (RFC 8445 §16.1).
  public static let iceControlled = STUNAttributeType(rawValue: 0x8029)
  /// ICE-CONTROLLING: a tie-breaker of 64 bits (RFC 8445 §16.1).
  public static let iceControlling = STUNAttributeType(rawValue: 0x802A)

  /// A receiver that does not know the attribute has to refuse the request (RFC 8489 §14).
  public var isComprehensionRequired: Bool { rawValue < 0x8000 }

  /// MAPPED-ADDRESS, MESSAGE-INTEGRITY-SHA256 and what only a TURN server reads: known, but without meaning here.
  var isKnownButUnused: Bool { [0x0001, 0x000C, 0x0017, 0x0019, 0x001C].contains(rawValue) }

  /// The only length that the value may have, where there is but one.
  var fixedLength: Int? {
    switch self {
    case .messageIntegrity: 20
    case .priority, .lifetime: 4
    case .iceControlled, .iceControlling: 8
    case .useCandidate: 0
    default: nil
    }
  }
}
