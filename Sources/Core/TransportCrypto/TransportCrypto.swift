public import MediaCore

/// The SRTP protection profiles that DTLS can negotiate (RFC 5764 §4.1.2, RFC 7714 §14.2).
public enum SRTPProfile: UInt16, Sendable, Hashable {
  case aes128CMHMACSHA1_80 = 0x0001
  case aeadAES128GCM = 0x0007
  case aeadAES256GCM = 0x0008

  /// Octets of master key and master salt of one direction.
  public var keyLengths: (key: Int, salt: Int) {
    switch self {
    case .aes128CMHMACSHA1_80: (16, 14)
    case .aeadAES128GCM: (16, 12)
    case .aeadAES256GCM: (32, 12)
    }
  }
}

/// Keying material exported from a DTLS handshake (RFC 5764 §4.2), each entry master key followed by master salt.
public struct SRTPKeyingMaterial: Sendable {
  /// What both sides agreed on (RFC 5764 §4.1.2, RFC 7714 §14.2).
  public var profile: SRTPProfile
  /// Protects what this side sends.
  public var local: [UInt8]
  /// Protects what the peer sends.
  public var remote: [UInt8]

  /// Takes the values unchecked.
  public init(profile: SRTPProfile, local: [UInt8], remote: [UInt8]) {
    self.profile = profile
    self.local = local
    self.remote = remote
  }
}

/// Which side of the DTLS handshake to play (`a=setup` active is the client, RFC 5763 §5).
public enum DTLSRole: Sendable, Hashable {
  case client
  case server
}

/// A certificate fingerprint as SDP carries it (RFC 8122 §5).
public struct CertificateFingerprint: Hashable, Sendable {
  /// Lower case, for example `sha-256`.
  public var algorithm: String
  /// The digest.
  public var digest: [UInt8]

  /// Takes the values unchecked.
  public init(algorithm: String, digest: [UInt8]) {
    self.algorithm = algorithm
    self.digest = digest
  }
}

/// How far a DTLS association has come.
public enum DTLSState: Sendable {
  case handshaking
  /// The handshake is complete and the peer's certificate matches the expected fingerprint.
  case connected(SRTPKeyingMaterial)
  /// The handshake cannot succeed; `reason` names the cause.
  case failed(reason: String)
  /// The peer sent close_notify.
  case closed
}

/// One DTLS 1.2 association, sans-IO: it owns no socket, no timer and no clock.
///
/// After each call the owner drains ``takeDatagram(into:)`` until it returns nil and reads ``deadline``.
public protocol DTLSAssociation: AnyObject {
  var state: DTLSState { get }
  /// When to call ``handleTimeout(now:)``, or nil.
  var deadline: MonotonicInstant? { get }
  /// Starts the handshake; a client makes its first flight.
  func start(now: MonotonicInstant)
  /// Takes one datagram from the peer. Garbage is ignored.
  func receive(_ datagram: RawSpan, now: MonotonicInstant)
  /// Resends the last flight when its deadline has passed.
  func handleTimeout(now: MonotonicInstant)
  /// Copies the next datagram to send to the front of `buffer` (at least 1,500 octets); nil when none waits.
  func takeDatagram(into buffer: inout MutableRawSpan) -> Int?
  /// Makes a close_notify alert to send.
  func close()
}

/// Why what a session needs could not be set up, as its provider reports it.
public struct TransportCryptoError: Error, Equatable, CustomStringConvertible, Sendable {
  /// What failed, and the library's own message.
  public let description: String

  /// - Parameter description: without secrets, since it is logged.
  public init(_ description: String) { self.description = description }
}

/// Makes DTLS associations that share the device's certificate.
public protocol DTLSAssociationMaking: AnyObject {
  /// SHA-256 fingerprint of the local certificate.
  var fingerprint: CertificateFingerprint { get }
  /// - Parameter remote: fingerprints of which the peer's certificate has to match one.
  func makeAssociation(
    role: DTLSRole, remote: [CertificateFingerprint]
  ) throws(TransportCryptoError) -> any DTLSAssociation
}

/// Why a packet was not protected or unprotected (RFC 3711 §3.3).
public enum PacketProtectionError: Error, Equatable, Sendable {
  case authenticationFailed
  case replayed
  case bufferTooSmall
  case malformed
  /// The library's own status code.
  case failed(code: Int32)
}

/// SRTP and SRTCP for one session, both directions. Packets are transformed in place.
///
/// The buffer must have space for the trailer when protecting: ``maximumTrailerLength`` octets past `length`.
public protocol PacketProtection: AnyObject {
  func protectRTP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int
  func protectRTCP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int
  func unprotectRTP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int
  func unprotectRTCP(_ buffer: inout MutableRawSpan, length: Int) throws(PacketProtectionError) -> Int
}

/// Makes a session's packet protection from DTLS keying material.
public protocol PacketProtectionMaking: AnyObject {
  func makeProtection(_ keys: SRTPKeyingMaterial) throws(TransportCryptoError) -> any PacketProtection
}

/// Octets by which protection can lengthen a packet: tag 16, SRTCP index 4, rounded up.
public let maximumTrailerLength = 32

/// HMAC-SHA1 (RFC 2104) and MD5 (RFC 1321), as STUN's MESSAGE-INTEGRITY needs them, and unpredictable numbers.
public protocol CryptoPrimitives: AnyObject {
  /// Writes the 20-octet HMAC-SHA1 of `message` to the front of `digest`.
  func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan)
  /// Writes the 16-octet MD5 of `message` to the front of `digest`: the key of long-term credentials (RFC 8489 §9.2.2).
  func md5(_ message: RawSpan, into digest: inout MutableRawSpan)
  /// A cryptographically strong random number.
  func randomUInt64() -> UInt64
}

/// Ed25519 (RFC 8032), with which the hub signs its tokens.
public protocol SignatureVerifying: AnyObject, Sendable {
  /// Whether `signature` (64 octets) was made over `message` with the key of which `publicKey` (32 octets) is the public
  /// half. Octets of another length are no valid signature or key.
  func isValidEd25519(signature: RawSpan, of message: RawSpan, publicKey: RawSpan) -> Bool
}
