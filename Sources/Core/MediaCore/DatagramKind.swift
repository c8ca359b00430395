/// What a datagram on a WebRTC transport carries, by its first two bytes (RFC 7983 §7, RFC 5761 §4).
public enum DatagramKind: Sendable, Hashable {
  case stun
  case dtls
  case turnChannel
  case rtp
  case rtcp
  case unknown

  /// Classifies by the first two bytes; the content may still be malformed.
  public init(_ datagram: RawSpan) {
    let reader = ByteReader(datagram)
    guard let first = try? reader.peekUInt8() else {
      self = .unknown
      return
    }
    switch first {
    case 0...3: self = .stun
    case 20...63: self = .dtls
    case 64...79: self = .turnChannel
    case 128...191: self = Self.media(second: try? reader.peekUInt8(ahead: 1))
    default: self = .unknown
    }
  }

  /// RTCP packet types 192 to 223 are kept free of RTP payload types (with the marker bit, 64 to 95).
  private static func media(second: UInt8?) -> DatagramKind {
    guard let second else { return .unknown }
    return (192...223).contains(second) ? .rtcp : .rtp
  }
}
