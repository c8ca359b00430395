internal import Foundation
internal import OpenSSLCrypto
internal import SystemSupport

/// What an invitation's link carries: 128 random bits, so a plain hash of it is safe to store, and looking that up
/// reveals nothing by the time that it takes.
public struct InvitationCode: Sendable {
  public let text: String

  public init() { text = base64URL(randomBytes(16)) }

  public init(text: String) { self.text = text }

  /// What the store keeps.
  public var hashed: String { base64URL(Data(OpenSSLCrypto().sha256(Array(text.utf8)))) }
}

/// How a browser that has an invitation is known: by a key that it keeps where scripts can use, but not read it.
public enum GuestKey {
  /// Whether the text is 32 octets in base64url.
  public static func isValid(_ text: String) -> Bool { octets(text)?.count == 32 }

  /// Compares in constant time.
  public static func isSame(_ first: String, as second: String) -> Bool {
    guard let first = octets(first), let second = octets(second) else { return false }
    return constantTimeEqual(first, second)
  }

  /// Whether `proof` (base64url) is the code of `challenge` by the key.
  public static func isProof(_ proof: String, of challenge: String, by key: String) -> Bool {
    guard let key = octets(key), let proof = octets(proof) else { return false }
    let code = OpenSSLCrypto().hmacSHA256(key: key, message: Array(challenge.utf8))
    return constantTimeEqual(proof, code)
  }

  private static func octets(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 64 else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    return Data(base64Encoded: standard + padding).map { Array($0) }
  }
}
