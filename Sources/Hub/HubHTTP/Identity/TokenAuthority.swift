internal import Crypto
internal import Foundation
internal import HubCore
public import HubStore
internal import JWTKit
internal import Signalling
internal import Locking

/// Signs and verifies the hub's tokens: JWTs with Ed25519 (RFC 8037), by keys that the store keeps.
public final class TokenAuthority: Sendable {
  private let keys = JWTKeyCollection()
  private let signingKeyID: JWKIdentifier
  private let lifetime: Duration
  /// The JSON Web Key Set of all public keys.
  public let publicKeys: String
  private let verified = Mutex(VerifiedTokens())
  /// How long after its end a token may be renewed, in seconds.
  private static let renewalGrace: Int64 = 12 * 3_600

  /// Loads the store's keys; makes the first one.
  public init(store: any HubStore, accessTokenLifetime: Duration) async throws {
    var records = try await store.signingKeys()
    if records.isEmpty { records = try await store.insertFirst(try Self.makeKey()) }
    lifetime = accessTokenLifetime
    signingKeyID = JWKIdentifier(string: records[records.count - 1].keyID)
    var published: [PublicKey] = []
    for record in records {
      let encoded = Data(record.privateKey).base64URLEncoded
      let key = try EdDSA.PrivateKey(d: encoded, curve: .ed25519)
      await keys.add(eddsa: key, kid: JWKIdentifier(string: record.keyID))
      published.append(PublicKey(x: key.publicKey.rawRepresentation.base64URLEncoded, kid: record.keyID))
    }
    publicKeys = String(decoding: try JSONEncoder().encode(["keys": published]), as: UTF8.self)
  }

  /// What a login or a renewal is answered with.
  ///
  /// - Parameter loggedInAt: when the user logged in (seconds since 1970), if that was not now.
  func grantAccess(
    to principal: Principal, generation: Int64?, loggedInAt: Int64? = nil
  ) async throws -> LoginResponse {
    let isStored = principal.role != .anonymous
    let claims = AccessClaims(
      userID: principal.userID, role: principal.role, issuedAt: Self.now, lifetime: lifetime.components.seconds,
      tokenID: UUID().uuidString, loggedInAt: loggedInAt, generation: generation,
      title: isStored ? nil : principal.userTitle, groups: isStored ? nil : principal.groups.sorted())
    let token = try await keys.sign(SignedClaims(claims), kid: signingKeyID)
    return LoginResponse(
      userID: principal.userID, accessToken: token, expiresAt: claims.exp * 1_000, role: principal.role.rawValue,
      userTitle: principal.userTitle, expiresIn: lifetime.components.seconds)
  }

  /// A token by which a client is known at its next login.
  func clientToken(userID: String, clientID: String) async throws -> String {
    let claims = ClientClaims(userID: userID, clientID: clientID, issuedAt: Self.now)
    return try await keys.sign(SignedClaims(claims), kid: signingKeyID)
  }

  /// The claims of a genuine client token, or nil.
  func clientClaims(of token: String) async -> ClientClaims? {
    guard let claims = await genuineClaims(of: token, as: ClientClaims.self), claims.isValid(at: Self.now) else {
      return nil
    }
    return claims
  }

  func sessionToken(userID: String, role: SessionRole, sessionID: String) async throws -> String {
    let claims = SessionClaims(
      userID: userID, role: role, sessionID: sessionID, issuedAt: Self.now, lifetime: lifetime.components.seconds,
      tokenID: UUID().uuidString)
    return try await keys.sign(SignedClaims(claims), kid: signingKeyID)
  }

  /// The hub's word that a key is a device's own.
  ///
  /// - Parameter publicKey: base64url without padding.
  func certify(_ publicKey: String, of device: Principal) async throws -> DeviceCertificateResponse {
    let claims = DeviceKeyClaims(device, publicKey: publicKey, issuedAt: Self.now, tokenID: UUID().uuidString)
    let certificate = try await keys.sign(SignedClaims(claims), kid: signingKeyID)
    return DeviceCertificateResponse(certificate: certificate, expiresAt: claims.exp * 1_000)
  }

  /// The claims of a genuine access token that has not expired, or nil.
  func accessClaims(of token: String) async -> AccessClaims? {
    let digest = SHA256.hash(data: Data(token.utf8))
    if let claims = verified.withLock({ $0.find(digest, at: Self.now) }) {
      return claims.isValid(at: Self.now) ? claims : nil
    }
    guard var claims = await genuineClaims(of: token, as: AccessClaims.self), claims.isValid(at: Self.now) else {
      return nil
    }
    // What nobody asks for any more takes no memory.
    (claims.aud, claims.jti) = (AccessClaims.audience, "")
    verified.withLock { [claims] in $0.insert(claims, digest, at: Self.now) }
    return claims
  }

  /// The claims of a genuine access token that may be renewed, or nil: also of one that ran out lately, so that a
  /// client that slept, or could not reach the hub, need not log in anew.
  func renewableClaims(of token: String) async -> AccessClaims? {
    guard let claims = await genuineClaims(of: token, as: AccessClaims.self), claims.isGenuine(at: Self.now),
      Self.now < claims.exp + Self.renewalGrace
    else { return nil }
    return claims
  }

  private func genuineClaims<Claims: Codable & Sendable>(of token: String, as type: Claims.Type) async -> Claims? {
    guard token.utf8.count <= 4_096 else { return nil }
    return try? await keys.verify(token, as: SignedClaims<Claims>.self).claims
  }

  static var now: Int64 { Int64(Date().timeIntervalSince1970) }

  private static func makeKey() throws -> SigningKeyRecord {
    let key = try EdDSA.PrivateKey(curve: .ed25519)
    return SigningKeyRecord(
      keyID: UUID().uuidString.lowercased(), privateKey: Array(key.rawRepresentation), createdAt: now * 1_000)
  }
}

/// The claims of genuine tokens by the tokens' digests, until they run out, so that a signature is verified once.
///
/// When there are too many, those asked for since the last time that happened stay: a node verifies the tokens of all its
/// users once, however many these are.
private struct VerifiedTokens {
  /// As many users as one node serves; about 300 bytes each.
  private static let capacity = 131_072

  private var claims: [SHA256Digest: AccessClaims] = [:]
  private var older: [SHA256Digest: AccessClaims] = [:]
  /// How many are looked through for those that ran out.
  private var crowd = 64

  mutating func find(_ digest: SHA256Digest, at time: Int64) -> AccessClaims? {
    if let found = claims[digest] { return found }
    guard let found = older.removeValue(forKey: digest) else { return nil }
    insert(found, digest, at: time)
    return found
  }

  mutating func insert(_ new: AccessClaims, _ digest: SHA256Digest, at time: Int64) {
    if claims.count >= crowd { makeRoom(at: time) }
    claims[digest] = new
  }

  private mutating func makeRoom(at time: Int64) {
    claims = claims.filter { $0.value.isValid(at: time) }
    if claims.count >= Self.capacity { (older, claims) = (claims, [:]) }
    crowd = min(max(64, 2 * claims.count), Self.capacity)
  }
}

/// One public key as JWKS has it (RFC 8037, section 2).
private struct PublicKey: Encodable {
  var kty = "OKP"
  var crv = "Ed25519"
  var use = "sig"
  var alg = "EdDSA"
  var x: String
  var kid: String
}

/// Claims as JWTKit wants them; whether they hold is judged by the claims' own rules with the time handed in.
private struct SignedClaims<Claims: Codable & Sendable>: JWTPayload {
  let claims: Claims

  init(_ claims: Claims) {
    self.claims = claims
  }

  init(from decoder: any Decoder) throws { claims = try Claims(from: decoder) }

  func encode(to encoder: any Encoder) throws { try claims.encode(to: encoder) }

  func verify(using algorithm: some JWTAlgorithm) async throws {}
}

extension Data {
  fileprivate var base64URLEncoded: String {
    base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}
