/// Why a datagram is no well-formed STUN message.
public enum STUNParseError: Error, Equatable, Sendable {
  /// Too short, wrong leading bits or wrong magic cookie.
  case notSTUN
  /// The length field disagrees with the datagram.
  case lengthMismatch
  /// An attribute reaches past the end of the message.
  case truncatedAttribute
  /// An attribute's value has an impossible length or content.
  case malformedAttribute(STUNAttributeType)
  /// FINGERPRINT is present, but wrong or not the last attribute.
  case wrongFingerprint
}
