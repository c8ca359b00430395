import Signalling
public import TransportCrypto

/// A session token whose signature has not been verified; nothing that it claims can be read before ``verify(with:_:)``.
public struct SessionToken: Sendable {
  /// Bytes; the hub's are about 400 long.
  public static let maximumBytes = 2_048

  private let token: SignedToken

  /// Names the key that signed.
  public var keyID: String { token.keyID }

  /// Takes the text apart and reads the header.
  public init(_ text: String) throws(SessionTokenError) {
    token = try SignedToken(text, maximumBytes: Self.maximumBytes)
  }

  /// The claims, if the key made the signature.
  ///
  /// - Parameter key: the 32 octets of the public key.
  public func verify(
    with key: [UInt8], _ verifier: some SignatureVerifying
  ) throws(SessionTokenError) -> SessionTokenClaims {
    try SessionTokenClaims(try genuineClaims(with: key, verifier))
  }

  /// All claims, unchecked, if the signature is the key's.
  func genuineClaims(with key: [UInt8], _ verifier: some SignatureVerifying) throws(SessionTokenError) -> JSONValue {
    guard let claims = JSONValue(try token.payload(verifiedWith: key, verifier)) else { throw .malformed }
    return claims
  }
}
