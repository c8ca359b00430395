internal import Foundation
internal import HubCore
public import HubStore
internal import SystemSupport
internal import OpenSSLCrypto
internal import SessionToken
internal import Signalling

/// Signs and verifies the hub's tokens: JWTs with Ed25519 (RFC 8037), by keys that the store keeps.
public final class TokenAuthority: Sendable {
  private let crypto = OpenSSLCrypto()
  private let signingKey: (id: String, key: Ed25519Key)
  /// The 32 octets of each public key by its id.
  private let verificationKeys: [String: [UInt8]]
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
    let keys = try records.map { (id: $0.keyID, key: try Ed25519Key(privateKey: $0.privateKey)) }
    signingKey = keys[keys.count - 1]
    verificationKeys = Dictionary(keys.map { ($0.id, $0.key.publicKey) }) { $1 }
    let published = keys.map { PublicKey(x: Base64URL.encode($0.key.publicKey), kid: $0.id) }
    publicKeys = String(decoding: try JSONEncoder().encode(["keys": published]), as: UTF8.self)
  }

  /// What a login or a renewal is answered with.
  ///
  /// - Parameters:
  ///   - loggedInAt: when the user logged in (seconds since 1970), if that was not now.
  ///   - loginID: the login that this is a token of, if it has begun already.
  ///   - number: which token of it.
  func grantAccess(
    to principal: Principal, generation: Int64?, loggedInAt: Int64? = nil, loginID: String = makeLoginID(),
    number: Int64 = 0
  ) async throws -> LoginResponse {
    let isStored = principal.role != .anonymous
    let claims = AccessClaims(
      userID: principal.userID, role: principal.role, issuedAt: Self.now, lifetime: lifetime.components.seconds,
      tokenID: UUID().uuidString, loggedInAt: loggedInAt, generation: generation, loginID: loginID,
      number: number,
      title: isStored ? nil : principal.userTitle, groups: isStored ? nil : principal.groups.sorted())
    let token = try sign(claims)
    return LoginResponse(
      userID: principal.userID, accessToken: token, expiresAt: claims.exp * 1_000, role: principal.role.rawValue,
      userTitle: principal.userTitle, expiresIn: lifetime.components.seconds)
  }

  /// A token by which a client is known at its next login.
  func clientToken(userID: String, clientID: String) async throws -> String {
    let claims = ClientClaims(userID: userID, clientID: clientID, issuedAt: Self.now)
    return try sign(claims)
  }

  /// The claims of a genuine client token, or nil.
  func clientClaims(of token: String) async -> ClientClaims? {
    guard let claims = genuineClaims(of: token, as: ClientClaims.self), claims.isValid(at: Self.now) else {
      return nil
    }
    return claims
  }

  func sessionToken(userID: String, role: SessionRole, sessionID: String) async throws -> String {
    let claims = SessionClaims(
      userID: userID, role: role, sessionID: sessionID, issuedAt: Self.now, lifetime: lifetime.components.seconds,
      tokenID: UUID().uuidString)
    return try sign(claims)
  }

  /// A token by which a login reads the files of an archive, for some minutes.
  ///
  /// - Parameter path: of the archive.
  func viewToken(_ login: AccessClaims, path: String) throws -> String {
    try sign(ViewClaims(login, path: path, expiresAt: Self.now + ArchiveView.lifetime))
  }

  /// The login by which a path may be read; nil unless the token is genuine, has not run out, and is good for it.
  func viewClaims(of token: String, path: String) -> AccessClaims? {
    guard let claims = genuineClaims(of: token, as: ViewClaims.self), claims.permits(path, at: Self.now) else {
      return nil
    }
    return claims.login
  }

  /// The hub's certificate that a key is a device's own.
  ///
  /// - Parameter publicKey: base64url without padding.
  func certify(_ publicKey: String, of device: Principal) async throws -> DeviceCertificateResponse {
    let claims = DeviceKeyClaims(device, publicKey: publicKey, issuedAt: Self.now, tokenID: UUID().uuidString)
    let certificate = try sign(claims)
    return DeviceCertificateResponse(certificate: certificate, expiresAt: claims.exp * 1_000)
  }

  /// The claims of a genuine access token that has not expired, or nil.
  func accessClaims(of token: String) async -> AccessClaims? {
    let digest = crypto.sha256(Array(token.utf8))
    if let claims = verified.withLock({ $0.find(digest, at: Self.now) }) {
      return claims.isValid(at: Self.now) ? claims : nil
    }
    guard var claims = genuineClaims(of: token, as: AccessClaims.self), claims.isValid(at: Self.now) else {
      return nil
    }
    // Unused entries take no memory.
    (claims.aud, claims.jti) = (AccessClaims.audience, "")
    verified.withLock { [claims] in $0.insert(claims, digest, at: Self.now) }
    return claims
  }

  /// The claims of a genuine access token that may be renewed, or nil: also of one that ran out lately, so that a
  /// client that slept, or could not reach the hub, need not log in again. One that ``isLate(_:)`` needs a login that rings.
  func renewableClaims(of token: String) async -> AccessClaims? {
    guard let claims = genuineClaims(of: token, as: AccessClaims.self), claims.isGenuine(at: Self.now),
      Self.now < claims.exp + LoginMemory.whileRinging / 1_000
    else { return nil }
    return claims
  }

  /// Whether the token ran out so long ago that it can be renewed only where its login has a push subscription.
  static func isLate(_ claims: AccessClaims) -> Bool { now >= claims.exp + renewalGrace }

  func sign(_ claims: some Encodable) throws -> String {
    let payload = Array(try JSONEncoder().encode(claims))
    return try SignedToken.sign(payload, keyID: signingKey.id, with: signingKey.key)
  }

  /// The claims of a token that one of the hub's keys has signed, or nil; whether they hold now is the claims' own rule.
  func genuineClaims<Claims: Decodable>(of token: String, as type: Claims.Type) -> Claims? {
    guard let token = try? SignedToken(token, maximumBytes: 4_096), let key = verificationKeys[token.keyID],
      let payload = try? token.payload(verifiedWith: key, crypto)
    else { return nil }
    return try? JSONDecoder().decode(Claims.self, from: Data(payload))
  }

  /// When a token that is given now can be renewed no longer, in milliseconds since 1970.
  var renewalEnd: Int64 { (Self.now + lifetime.components.seconds + Self.renewalGrace) * 1_000 }

  /// 88 random bits: short, since each node keeps one for each token that it has verified.
  static func makeLoginID() -> String { Base64URL.encode((0..<11).map { _ in UInt8.random(in: .min ... .max) }) }

  static var nowInMilliseconds: Int64 { Int64(exactly: (Date().timeIntervalSince1970 * 1_000).rounded()) ?? 0 }

  static var now: Int64 { Int64(Date().timeIntervalSince1970) }

  private static func makeKey() throws -> SigningKeyRecord {
    SigningKeyRecord(
      keyID: UUID().uuidString.lowercased(), privateKey: try Ed25519Key().privateKeyOctets(), createdAt: now * 1_000)
  }
}

/// The claims of genuine tokens by the tokens' digests, until they run out, so that a signature is verified once.
///
/// When there are too many, those asked for since the last time that happened stay: a node verifies the tokens of all its
/// users once, however many these are.
private struct VerifiedTokens {
  /// As many users as one node serves; about 300 bytes each.
  private static let capacity = 131_072

  private var claims: [[UInt8]: AccessClaims] = [:]
  private var older: [[UInt8]: AccessClaims] = [:]
  /// How many are searched for expired ones.
  private var crowd = 64

  mutating func find(_ digest: [UInt8], at time: Int64) -> AccessClaims? {
    if let found = claims[digest] { return found }
    guard let found = older.removeValue(forKey: digest) else { return nil }
    insert(found, digest, at: time)
    return found
  }

  mutating func insert(_ new: AccessClaims, _ digest: [UInt8], at time: Int64) {
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
