public import TransportCrypto

/// A JWT in JWS compact form (RFC 7515 §3.1), signed with Ed25519 (RFC 8037 §3.1), whose signature has not been verified.
///
/// Nothing that the token claims can be read before ``payload(verifiedWith:_:)``.
public struct SignedToken: Sendable {
  /// The only accepted algorithm; the token has no choice (RFC 8725 §3.1).
  public static let algorithm = "EdDSA"

  /// Names the key that signed.
  public let keyID: String
  /// Header and claims as they are signed, with the dot between them.
  private let signed: [UInt8]
  private let payload: [UInt8]
  private let signature: [UInt8]

  /// Takes the text apart and reads the header.
  ///
  /// - Parameter maximumBytes: how long a token the caller admits.
  public init(_ text: String, maximumBytes: Int) throws(SessionTokenError) {
    let bytes = Array(text.utf8.prefix(maximumBytes + 1))
    guard bytes.count <= maximumBytes else { throw .tooLong }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2]), signature.count == 64
    else { throw .malformed }
    keyID = try Self.keyID(of: header)
    signed = Array(bytes[..<parts[1].endIndex])
    self.payload = payload
    self.signature = signature
  }

  private static func keyID(of header: [UInt8]) throws(SessionTokenError) -> String {
    guard let header = JSONValue(header) else { throw .malformed }
    guard header.string("alg") == algorithm else { throw .otherAlgorithm }
    // RFC 7515 §4.1.11: unknown critical headers are refused.
    guard !header.has("crit") else { throw .malformed }
    guard let keyID = header.string("kid") else { throw .noKeyID }
    return keyID
  }

  /// The claims' JSON text, if the key made the signature.
  ///
  /// - Parameter key: the 32 octets of the public key.
  public func payload(
    verifiedWith key: [UInt8], _ verifier: some SignatureVerifying
  ) throws(SessionTokenError) -> [UInt8] {
    let isGenuine = unsafe verifier.isValidEd25519(
      signature: signature.span.bytes, of: signed.span.bytes, publicKey: key.span.bytes)
    guard isGenuine else { throw .badSignature }
    return payload
  }

  /// Signs claims.
  ///
  /// - Parameters:
  ///   - payload: the claims' JSON text.
  ///   - keyID: as the key set names the key; letters, digits and `-`.
  public static func sign(
    _ payload: [UInt8], keyID: String, with key: some MessageSigning
  ) throws(TransportCryptoError) -> String {
    let header = #"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(keyID)"}"#
    let signed = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(payload))"
    let octets = Array(signed.utf8)
    let signature = unsafe try key.signature(of: octets.span.bytes)
    return "\(signed).\(Base64URL.encode(signature))"
  }
}
