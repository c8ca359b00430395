public import TransportCrypto

/// The 32 octets of a SHA-256 digest that was made for one purpose: digests of other purposes never equal it.
public struct EvidenceDigest: Hashable, Sendable {
  /// Octets of a digest.
  public static let byteCount = 32
  /// What the first statement of a chain follows.
  public static let none = EvidenceDigest(octets: [UInt8](repeating: 0, count: byteCount))

  /// In the order of FIPS 180-4.
  public let octets: [UInt8]

  /// Takes ``byteCount`` octets.
  public init(octets: [UInt8]) {
    precondition(octets.count == Self.byteCount)
    self.octets = octets
  }
}

/// What a digest or a signature is made for; its text, ended by a zero octet, comes before the bytes themselves, so that
/// nothing that was made for one purpose can be shown as made for another.
public enum EvidencePurpose: String, Sendable, CaseIterable {
  /// Bytes of a file of the archive.
  case content = "LiveSessions evidence 1: content"
  /// A statement, with the digest of the one before in it.
  case chain = "LiveSessions evidence 1: chain"
  /// The device's signature of a statement's digest.
  case signature = "LiveSessions evidence 1: signature"

  /// The prefix of the bytes.
  public var prefix: [UInt8] { Array(rawValue.utf8) + [0] }
}

/// A digest in the making, for bytes that come in parts.
public struct EvidenceHash {
  private let hash: any SHA256Hash

  /// Begins with the purpose.
  public init(_ purpose: EvidencePurpose, _ hashing: any SHA256Hashing) {
    hash = hashing.makeSHA256()
    unsafe hash.update(purpose.prefix.span.bytes)
  }

  /// Takes the next bytes.
  public func update(_ bytes: RawSpan) { hash.update(bytes) }

  /// The digest; call it once.
  public func finish() -> EvidenceDigest { EvidenceDigest(octets: hash.finish()) }
}

extension EvidenceDigest {
  /// The digest of bytes for a purpose.
  public init(_ purpose: EvidencePurpose, of bytes: RawSpan, _ hashing: any SHA256Hashing) {
    let hash = EvidenceHash(purpose, hashing)
    hash.update(bytes)
    self = hash.finish()
  }
}
