internal import Foundation
internal import OpenSSLCrypto
internal import SessionToken
internal import SystemSupport

/// How the hub shows push services who it is (VAPID, RFC 8292): a JWT for each of them, signed with the hub's push key.
final class ServerIdentification: Sendable {
  /// In seconds; push services take a day at most.
  private static let lifetime: Int64 = 12 * 3_600
  /// A token is used again until so many seconds before its end.
  private static let remainder: Int64 = 3_600
  /// Origins, which subscriptions name.
  private static let capacity = 256

  private struct Token {
    var text: String
    var expiresAt: Int64
  }

  private struct Claims: Encodable {
    var aud: String
    var exp: Int64
    var sub: String
  }

  private let key: P256Key
  private let contact: String
  private let tokens = Mutex<[String: Token]>([:])

  init(key: P256Key, contact: String) {
    (self.key, self.contact) = (key, contact)
  }

  /// The public key in base64url, as browsers take it.
  var applicationServerKey: String { Base64URL.encode(key.publicKey) }

  /// The value of `Authorization` for a push service.
  ///
  /// - Parameters:
  ///   - origin: of the endpoint.
  ///   - now: in seconds since 1970.
  func authorization(for origin: String, now: Int64) throws -> String {
    "vapid t=\(try token(for: origin, now: now)), k=\(applicationServerKey)"
  }

  private func token(for origin: String, now: Int64) throws -> String {
    // Also renewed where the clock was set back: a service refuses what lasts for more than a day.
    let isFresh = { (token: Token) in (now + Self.remainder...now + Self.lifetime).contains(token.expiresAt) }
    if let token = tokens.withLock({ $0[origin] }), isFresh(token) { return token.text }
    let token = Token(text: try sign(for: origin, until: now + Self.lifetime), expiresAt: now + Self.lifetime)
    tokens.withLock { tokens in
      if tokens.count >= Self.capacity { tokens.removeAll() }
      tokens[origin] = token
    }
    return token.text
  }

  private func sign(for origin: String, until end: Int64) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let claims = Array(try encoder.encode(Claims(aud: origin, exp: end, sub: contact)))
    let signed = Base64URL.encode(Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)) + "." + Base64URL.encode(claims)
    return signed + "." + Base64URL.encode(try key.signature(of: Array(signed.utf8)))
  }
}
