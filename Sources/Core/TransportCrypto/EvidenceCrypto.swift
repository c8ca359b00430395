/// SHA-256 (FIPS 180-4) over bytes that come in parts.
///
/// Single-threaded, for one digest.
public protocol SHA256Hash: AnyObject {
  /// Takes the next bytes.
  func update(_ bytes: RawSpan)
  /// The 32 octets of the digest; ends the hash.
  func finish() -> [UInt8]
}

/// Makes SHA-256 hashes. From any thread.
public protocol SHA256Hashing: AnyObject, Sendable {
  /// A new hash.
  func makeSHA256() -> any SHA256Hash
}

/// An Ed25519 key (RFC 8032) that signs; the private half stays with its owner. From any thread.
public protocol MessageSigning: AnyObject, Sendable {
  /// The 32 octets of the public key.
  var publicKey: [UInt8] { get }
  /// The 64 octets of a message's signature.
  func signature(of message: RawSpan) throws(TransportCryptoError) -> [UInt8]
}
