/// A STUN attribute's type code (RFC 8489 §18.3, RFC 8445 §16.1, RFC 8656 §18).
public struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let username = STUNAttributeType(rawValue: 0x0006)
  public static let messageIntegrity = STUNAttributeType(rawValue: 0x0008)
  public static let errorCode = STUNAttributeType(rawValue: 0x0009)
  public static let unknownAttributes = STUNAttributeType(rawValue: 0x000A)
  public static let channelNumber = STUNAttributeType(rawValue: 0x000C)
  public static let lifetime = STUNAttributeType(rawValue: 0x000D)
  public static let xorPeerAddress = STUNAttributeType(rawValue: 0x0012)
  public static let data = STUNAttributeType(rawValue: 0x0013)
  public static let realm = STUNAttributeType(rawValue: 0x0014)
  public static let nonce = STUNAttributeType(rawValue: 0x0015)
  public static let xorRelayedAddress = STUNAttributeType(rawValue: 0x0016)
  public static let requestedAddressFamily = STUNAttributeType(rawValue: 0x0017)
  public static let requestedTransport = STUNAttributeType(rawValue: 0x0019)
  public static let xorMappedAddress = STUNAttributeType(rawValue: 0x0020)
  public static let priority = STUNAttributeType(rawValue: 0x0024)
  public static let useCandidate = STUNAttributeType(rawValue: 0x0025)
  public static let software = STUNAttributeType(rawValue: 0x8022)
  public static let fingerprint = STUNAttributeType(rawValue: 0x8028)
  public static let iceControlled = STUNAttributeType(rawValue: 0x8029)
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
