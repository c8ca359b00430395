import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import NIOCore
import NIOHTTP1
import OpenSSLCrypto
import SessionToken
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
    let signature = Array(try #require(decodeBase64URL(parts[2])))
    let (signed, publicKey) = (Array("\(parts[0]).\(parts[1])".utf8), Array(point))
    let isGenuine = OpenSSLCrypto().isValidEd25519(
      signature: signature.span.bytes, of: signed.span.bytes, publicKey: publicKey.span.bytes)
    #expect(isGenuine)
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
      #expect(access["exp"] as? Int == issued + 3_600 && access["jti"] != nil)

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

  /// The other party's token, judged as a device judges it.
  private func role(
    _ token: String?, of userID: String, in sessionID: String, keys: SigningKeySet
  ) throws -> SessionRole {
    let token = try SessionToken(try #require(token))
    let claims = try token.verify(with: try #require(keys[token.keyID]), OpenSSLCrypto())
    return try claims.role(of: userID, in: sessionID, at: Int64(Date().timeIntervalSince1970))
  }

  @Test func eachPartyCanVerifyTheOthersRole() async throws {
    try await HubFixture.run { hub in
      let published = try await hub.send(.GET, "/.well-known/jwks.json")
      let keys = try SigningKeySet(json: Array(published.body.readableBytesView))
      let user = try await hub.addPerson("user")
      let device = try await hub.addDevice("door")
      try await hub.withEvents(of: user) { userEvents in
        try await hub.withEvents(of: device) { events in
          try await hub.publish(device, stream: events)
          for (isAudio, expected) in [(false, SessionRole.subscriber), (true, .publisher)] {
            let id = UUID().uuidString.lowercased()
            let call = SessionRequest(receiverID: device.id, isAudio: isAudio, isVideo: false, offer: "")
            #expect(try await hub.send(.PUT, "/v1/sessions/\(id)", call, by: user).status == 201)
            let incoming = try await events.next(.callIncoming, as: IncomingCallEvent.self)
            #expect(try role(incoming.callerToken, of: user.id, in: id, keys: keys) == expected)
            #expect(throws: SessionTokenError.otherUser) {
              try role(incoming.token, of: user.id, in: id, keys: keys)
            }
            #expect(throws: SessionTokenError.otherAudience) { try role(user.token, of: user.id, in: id, keys: keys) }
            let answer = SessionDescription(sdp: "sdp")
            #expect(try await hub.send(.POST, "/v1/sessions/\(id)/answer", answer, by: device).status == 204)
            let answered = try await userEvents.next(.callAnswered, as: DescriptionEvent.self)
            #expect(try role(answered.token, of: device.id, in: id, keys: keys) == .publisher)
            #expect(try await events.next(.callTaken, as: CallTakenEvent.self).sessionID.text == id)
          }
        }
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

  /// A device whose configuration calls it otherwise than the hub does is the same device.
  @Test func aDeviceLogsInByItsKeyWhateverItsTitle() async throws {
    try await HubFixture.run { hub in
      let (record, key) = try await hub.accounts.enrolDevice(
        title: "Door", groups: [], replacing: false, id: "door", now: 0)
      let login = LoginRequest(userTitle: "Gate", enrolmentKey: key.text)
      let reply = try await hub.send(.POST, "/v1/login", login).decode(LoginResponse.self)
      #expect(reply.userID == record.id && reply.userTitle == "Door")
      let device = Member(id: reply.userID, token: reply.accessToken)
      let update = { PresenceUpdate(userTitle: $0, kind: .device, isAudio: true, isVideo: true) }
      let refused = try await hub.send(.PUT, "/v1/presence", update("Gate"), by: device)
      #expect(refused.status == 403 && refused.detail?.contains(#""Door""#) == true)
      #expect(try await hub.send(.PUT, "/v1/presence", update("Door"), by: device).status == 204)
      _ = try await hub.accounts.rename("Door", to: "Gate")
      try await hub.eventually { try await hub.send(.PUT, "/v1/presence", update("Gate"), by: device).status == 204 }
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

  /// The credential was made with Python's hmac and hashlib.
  @Test func turnCredentialsAreCoturns() throws {
    let turn = TURNRESTCredentials(
      HubConfiguration.Turn(uris: ["stun:s.example", "turn:t.example", "turns:t.example"], secret: "north"))
    let servers = turn.servers(for: "alice", at: 1_700_000_000)
    #expect(servers.map(\.urls) == [["stun:s.example"], ["turn:t.example", "turns:t.example"]])
    #expect(servers[0].credential == nil)
    #expect(servers[1].username == "1700003600:alice")
    #expect(servers[1].credential == "wjwSXO2ch1B6VaLTLMy2Avn5O9o=")
  }
}
