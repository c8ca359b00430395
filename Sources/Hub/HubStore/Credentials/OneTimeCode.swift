internal import Foundation
internal import OpenSSLCrypto
internal import SystemSupport

/// What a person chooses a password by, once: 80 random bits for people to type, so a plain hash of it is safe to store
/// for as long as it is good.
///
/// It stands in place of the password's hash, as `$once$expiry$hash`: hubs that do not know it take it for a password
/// that nothing matches.
public struct OneTimeCode: Sendable, Equatable {
  /// For how long a code is good, in milliseconds.
  public static let lifetime: Int64 = 3 * 86_400_000
  /// Crockford's base 32: without letters that look like digits.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// Milliseconds since 1970.
  public let expiresAt: Int64
  private let hash: Data

  /// Reads the stored form.
  public init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, parts[1] == "once", let expiresAt = Int64(parts[2]),
      let hash = Data(base64Encoded: String(parts[3])), hash.count == 32
    else { return nil }
    (self.expiresAt, self.hash) = (expiresAt, hash)
  }

  private init(code: String, expiresAt: Int64) {
    (self.expiresAt, hash) = (expiresAt, Self.hash(of: code))
  }

  /// A fresh code, as `K7QF-2M9X-WD4H-0TZ3`: `code` is shown once, the other is stored. `now` is in milliseconds since 1970.
  public static func make(now: Int64) -> (code: String, stored: OneTimeCode) {
    let groups = (0..<4).map { _ in String((0..<4).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }) }
    let code = groups.joined(separator: "-")
    return (code, OneTimeCode(code: code, expiresAt: now + lifetime))
  }

  public var text: String { "$once$\(expiresAt)$\(hash.base64EncodedString())" }

  /// Compares in constant time; case, hyphens and spaces do not matter, nor letters that look like digits.
  public func matches(_ code: String, now: Int64) -> Bool {
    constantTimeEqual(Self.hash(of: code), hash) && now < expiresAt
  }

  private static func hash(of code: String) -> Data {
    let symbols = code.uppercased().compactMap { (symbol: Character) -> Character? in
      switch symbol {
      case "-", " ": nil
      case "O": "0"
      case "I", "L": "1"
      default: symbol
      }
    }
    return Data(OpenSSLCrypto().sha256(Array(String(symbols).utf8)))
  }
}
