import MediaCore
import TransportCrypto

/// Long-term credentials (RFC 8489 §9.2): what the owner knows, what the server has sent, and the key made of both.
struct TURNCredentials: CustomStringConvertible {
  /// Octets of name, realm and nonce each: with them the longest request still fits one datagram.
  static let limit = 255

  let username: [UInt8]
  private let password: [UInt8]
  private(set) var realm: [UInt8] = []
  private(set) var nonce: [UInt8] = []
  /// MD5 of `username:realm:password`; nil before the server has requested credentials.
  private(set) var key: [UInt8]?

  init(username: String, password: String) {
    self.username = Array(username.utf8)
    self.password = Array(password.utf8)
  }

  /// Nothing of the secrets.
  var description: String { "TURN credentials" }

  /// Takes the realm and nonce of a 401 or 438 response; false if they are missing or too long.
  mutating func takeChallenge(_ message: STUNMessage, _ datagram: RawSpan, crypto: any CryptoPrimitives) -> Bool {
    guard let nonce = message.nonce, nonce.count <= Self.limit, username.count <= Self.limit else { return false }
    if let realm = message.realm, realm.count <= Self.limit {
      self.realm = datagram.extracting(realm).copiedToArray()
      makeKey(crypto)
    }
    self.nonce = datagram.extracting(nonce).copiedToArray()
    return key != nil
  }

  private mutating func makeKey(_ crypto: any CryptoPrimitives) {
    let colon = [UInt8(ascii: ":")]
    let text = username + colon + realm + colon + password
    var digest = [UInt8](repeating: 0, count: 16)
    var span = digest.mutableSpan
    var output = unsafe span.mutableBytes
    unsafe crypto.md5(text.span.bytes, into: &output)
    key = digest
  }
}
