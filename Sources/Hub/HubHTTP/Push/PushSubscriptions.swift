internal import HubCore
internal import HubStore
internal import OpenSSLCrypto
internal import SessionToken
internal import Signalling

extension HubStore {
  /// A person's browsers that messages may be sent to.
  func subscriptions(of user: UserRecord) async throws -> [PushSubscriptionRecord] {
    guard user.kind == .person, !user.isDisabled else { return [] }
    return try await subscriptions(ofUser: user.id).filter { $0.credentialGeneration == user.credentialGeneration }
  }
}

extension PushSubscriptionRecord {
  private static let longestClient = 256

  /// Refuses keys that are none.
  init(_ request: PushSubscriptionRequest, by claims: AccessClaims, client: String) throws(HubRefusal) {
    guard let publicKey = Self.octets(request.keys.p256dh), P256Key.isPublicKey(publicKey) else {
      throw .invalid(field: "keys.p256dh", reason: "must be an uncompressed point on P-256 in base64url")
    }
    guard let secret = Self.octets(request.keys.auth), secret.count == PushEncryption.authenticationSize else {
      throw .invalid(field: "keys.auth", reason: "must be 16 octets in base64url")
    }
    if let language = request.language, !Self.isLanguage(language) {
      throw .invalid(field: "language", reason: "must be a language tag")
    }
    self.init(
      id: Self.id(of: request.endpoint, claims.sub), userID: claims.sub, loginID: claims.loginID,
      credentialGeneration: claims.generation, endpoint: request.endpoint, publicKey: publicKey,
      authentication: secret, language: request.language,
      client: String(decoding: client.utf8.prefix(Self.longestClient), as: UTF8.self),
      createdAt: TokenAuthority.nowInMilliseconds)
  }

  /// The same when the page subscribes once more: a call that rings there ends there.
  private static func id(of endpoint: String, _ userID: String) -> String {
    let digest = OpenSSLCrypto().sha256(Array("\(userID)\u{0}\(endpoint)".utf8))
    return Base64URL.encode(Array(digest.prefix(16)))
  }

  /// Some libraries pad what browsers do not.
  private static func octets(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 128 else { return nil }
    return Base64URL.decode(text.prefix { $0 != "=" }.utf8)
  }

  private static func isLanguage(_ text: String) -> Bool {
    (1...35).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
  }
}
