import Crypto
import Foundation
import HubCore
import HubStoreSQLite
import NIOCore
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1)))
struct TokenTests {
  /// Checks a token as a device does: with the published key and nothing of the hub's own code.
  private func claims(of token: String, keys: Reply) throws -> [String: Any] {
    let parts = token.split(separator: ".").map(String.init)
    let header = try json(try #require(decodeBase64URL(parts[0])))
    let set = try #require(try json(Data(keys.body.readableBytesView))["keys"] as? [[String: String]])
    let key = try #require(set.first { $0["kid"] == header["kid"] as? String })
    #expect(header["alg"] as? String == "EdDSA" && key["kty"] == "OKP" && key["crv"] == "Ed25519")
    let point = try #require(key["x"].flatMap(decodeBase64URL))
    let publicKey = try Curve25519.Signing.PublicKey(rawRepresentation: point)
    let signature = try #require(decodeBase64URL(parts[2]))
    #expect(publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    return try json(try #require(decodeBase64URL(parts[1])))
  }

  private func json(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func decodeBase64URL(_ text: String) -> Data? {
    let padded = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4))
  }

  @Test func tokensVerifyWithThePublishedKeys() async throws {
    try await HubFixture.run { hub in
      let keys = try await hub.send(.GET, "/.well-known/jwks.json")
      #expect(!keys.text.contains("\"d\""))
      let user = try await hub.addPerson("user", role: .operator)
      let access = try claims(of: user.token, keys: keys)
      #expect(access["sub"] as? String == user.id && access["role"] as? String == "operator")
      let issued = try #require(access["iat"] as? Int)
      #expect(access["exp"] as? Int == issued + 12 * 3_600 && access["jti"] != nil)

      let device = try await hub.addDevice("door")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        let id = UUID().uuidString.lowercased()
        let call = SessionRequest(receiverID: device.id, isAudio: true, isVideo: true, offer: "")
        let grant = try await hub.send(.PUT, "/v1/sessions/\(id)", call, by: user).decode(SessionGrant.self)
        let session = try claims(of: try #require(grant.publisherToken), keys: keys)
        #expect(session["session_id"] as? String == id && session["role"] as? String == "moderator")
        let incoming = try await events.next(.callIncoming, as: IncomingCallEvent.self)
        let receiver = try claims(of: incoming.token, keys: keys)
        #expect(receiver["sub"] as? String == device.id && receiver["role"] as? String == "publisher")
        let asAccess = Member(id: user.id, token: try #require(grant.publisherToken))
        #expect(try await hub.send(.GET, "/v1/users", by: asAccess).status == 401)
      }
    }
  }

  @Test func aTamperedTokenIsRefused() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let parts = user.token.split(separator: ".").map(String.init)
      let forgedClaims = AccessClaims(
        userID: user.id, role: .operator, issuedAt: Int64(Date().timeIntervalSince1970), lifetime: 60, tokenID: "x")
      let claims = try JSONEncoder().encode(forgedClaims).base64EncodedString().replacingOccurrences(of: "=", with: "")
      let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
      for token in [
        "\(parts[0]).\(claims).\(parts[2])", "\(none).\(claims).", "\(parts[0]).\(parts[1]).", "x", "..", "",
      ] {
        #expect(try await hub.send(.GET, "/v1/users", by: Member(id: "", token: token)).status == 401, "\(token)")
      }
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 200)
    }
  }

  @Test func anExpiredTokenIsRefused() async throws {
    var configuration = HubConfiguration()
    configuration.accessTokenLifetime = .zero
    try await HubFixture.run(configuration) { hub in
      let user = try await hub.addPerson("user")
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 401)
    }
  }

  @Test func aRemovedUsersTokenEnds() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      try await hub.store.removeUser(id: user.id)
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 401)
    }
  }

  @Test func loginsOfEachKind() async throws {
    try await HubFixture.run { hub in
      _ = try await hub.addPerson("Demo")
      _ = try await hub.login(LoginRequest(userTitle: "demo", password: HubFixture.password))
      for wrong in [
        LoginRequest(userTitle: "demo", password: "wrong"), LoginRequest(userTitle: "nobody", password: "wrong"),
        LoginRequest(userTitle: "demo", enrolmentKey: "lsk_x"), LoginRequest(userTitle: "demo"),
        LoginRequest(userTitle: "demo", password: String(repeating: "x", count: 5_000)),
      ] {
        let reply = try await hub.send(.POST, "/v1/login", wrong)
        #expect(reply.status == 401 && reply.problem == "bad-credentials")
      }
    }
  }

  @Test func anonymousLoginsWhereTheyAreAllowed() async throws {
    var configuration = HubConfiguration()
    configuration.anonymousLogin = true
    try await HubFixture.run(configuration) { hub in
      let guest = try await hub.login(LoginRequest(userTitle: "Guest"))
      #expect(try await hub.send(.GET, "/v1/users", by: guest).status == 200)
      _ = try await hub.addPerson("Demo")
      let stolen = try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: "demo"))
      #expect(stolen.status == 403)
      let unshowable = try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: "a\nb"))
      #expect(unshowable.status == 400)
    }
  }

  @Test func loginsAreLimited() async throws {
    var limits = HubLimits()
    limits.loginsPerMinute = 2
    try await HubFixture.run(limits: limits) { hub in
      let wrong = LoginRequest(userTitle: "demo", password: "wrong")
      for _ in 0..<2 { #expect(try await hub.send(.POST, "/v1/login", wrong).status == 401) }
      let reply = try await hub.send(.POST, "/v1/login", wrong)
      #expect(reply.status == 429 && reply.problem == "rate-limited")
      #expect(reply.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 0 > 0)
    }
  }

  /// The credential was made with Python's hmac and hashlib.
  @Test func turnCredentialsAreCoturns() throws {
    let turn = TurnCredentials(
      HubConfiguration.Turn(uris: ["stun:s.example", "turn:t.example", "turns:t.example"], secret: "north"))
    let servers = turn.servers(for: "alice", at: 1_700_000_000)
    #expect(servers.map(\.urls) == [["stun:s.example"], ["turn:t.example", "turns:t.example"]])
    #expect(servers[0].credential == nil)
    #expect(servers[1].username == "1700003600:alice")
    #expect(servers[1].credential == "wjwSXO2ch1B6VaLTLMy2Avn5O9o=")
  }
}
