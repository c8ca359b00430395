public import TransportCrypto

/// Believes a signature that is the key twice, so that tests can sign.
public final class MirrorVerifier: SignatureVerifying {
  public init() {}

  public func isValidEd25519(signature: RawSpan, of message: RawSpan, publicKey: RawSpan) -> Bool {
    let key = publicKey.withUnsafeBytes { Array($0) }
    return signature.withUnsafeBytes { Array($0) } == key + key
  }
}

/// Session tokens, and key sets, as tests need them.
public enum SampleToken {
  public static let key = [UInt8](repeating: 7, count: 32)
  public static let header = #"{"alg":"EdDSA","kid":"k1","typ":"JWT"}"#

  public static func claims(
    _ sub: String = "anna", role: String = "moderator", session: String = "s", aud: String = "livesessions-session",
    valid: (iat: Int64, exp: Int64) = (1_000, 2_000)
  ) -> String {
    #"{"sub":"\#(sub)","aud":"\#(aud)","role":"\#(role)","session_id":"\#(session)","iat":\#(valid.iat),"exp":\#(valid.exp),"jti":"x"}"#
  }

  public static func text(
    header: String = header, _ claims: String = claims(), signature: [UInt8] = key + key
  ) -> String {
    [Array(header.utf8), Array(claims.utf8), signature].map(encode).joined(separator: ".")
  }

  /// One entry of a key set.
  public static func keyEntry(_ id: String, _ key: [UInt8] = key, kty: String = "OKP", more: String = "") -> String {
    #"{"kty":"\#(kty)","crv":"Ed25519","x":"\#(encode(key))","kid":"\#(id)"\#(more)}"#
  }

  public static func keySet(_ entries: [String]) -> [UInt8] {
    Array("{\"keys\":[\(entries.joined(separator: ","))]}".utf8)
  }

  /// base64url without padding.
  public static func encode(_ octets: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: octets.count, by: 3) {
      let group = octets[start..<min(start + 3, octets.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
    }
    return text
  }
}
