import RTP
import TransportCrypto

/// Both directions of a session's SRTP and SRTCP.
final class SessionProtection: PacketProtection {
  private var outbound: OutboundProtection
  private var inbound: InboundProtection

  init(outbound: consuming OutboundProtection, inbound: consuming InboundProtection) {
    self.outbound = outbound
    self.inbound = inbound
  }

  func protectRTP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try outbound.protectRTP(&buffer, length: length)
  }

  func protectRTCP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try outbound.protectRTCP(&buffer, length: length)
  }

  func unprotectRTP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try inbound.unprotectRTP(&buffer, length: length)
  }

  func unprotectRTCP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try inbound.unprotectRTCP(&buffer, length: length)
  }
}
