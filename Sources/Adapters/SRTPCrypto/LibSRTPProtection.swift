import CSRTP
import TransportCrypto

/// Both directions of a session's SRTP and SRTCP (RFC 3711, RFC 7714).
final class LibSRTPProtection: PacketProtection {
  private let outbound: SRTPStream
  private let inbound: SRTPStream

  init(_ keys: SRTPKeyingMaterial) throws(SRTPCryptoError) {
    outbound = try SRTPStream(.outbound, profile: keys.profile, masterKey: keys.local)
    inbound = try SRTPStream(.inbound, profile: keys.profile, masterKey: keys.remote)
  }

  func protectRTP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try outbound.transform(&buffer, length: length, reserve: maximumTrailerLength, srtp_protect)
  }

  func protectRTCP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try outbound.transform(&buffer, length: length, reserve: maximumTrailerLength, srtp_protect_rtcp)
  }

  func unprotectRTP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try inbound.transform(&buffer, length: length, reserve: 0, srtp_unprotect)
  }

  func unprotectRTCP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int {
    try inbound.transform(&buffer, length: length, reserve: 0, srtp_unprotect_rtcp)
  }
}
