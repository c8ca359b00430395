import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import OpenSSLCrypto
import SessionToken
import Signalling
import SystemSupport
import Testing

@testable import HubHTTP

/// A push service that keeps what it is sent, over real HTTP.
final class PushServer: Sendable {
  struct Posted: Sendable {
    var path: String
    var headers: [String: String]
    var body: [UInt8]
  }

  let posted = Mutex<[Posted]>([])
  /// What it answers with, and whether it says when to come again; 201 when there is nothing left.
  let answers: Mutex<[(status: HTTPTypes.HTTPResponse.Status, retryAfter: String?)]>

  init(_ answers: [(status: HTTPTypes.HTTPResponse.Status, retryAfter: String?)] = []) { self.answers = Mutex(answers) }

  func run(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let router = Router()
    router.post("/push/:browser") { request, _ in
      let bytes = Array(try await request.body.collect(upTo: 4_096).readableBytesView)
      var headers: [String: String] = [:]
      for field in request.headers { headers[field.name.canonicalName] = field.value }
      self.posted.withLock { $0.append(Posted(path: request.uri.path, headers: headers, body: bytes)) }
      let answer = self.answers.withLock { $0.isEmpty ? (.created, nil) : $0.removeFirst() }
      return Response(status: answer.status, headers: answer.retryAfter.map { [.retryAfter: $0] } ?? [:])
    }
    try await withLiveServer { isListening in
      Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in isListening(channel.localAddress?.port ?? 0) },
        logger: Logger(label: "push") { _ in SwiftLogNoOpLogHandler() })
    } _: { port in
      try await body(port)
    }
  }
}

/// A browser's keys, with which it reads messages.
struct Browser {
  let name: String
  let key: P256Key
  let secret = [UInt8](repeating: 9, count: 16)
  let port: Int

  init(_ name: String, port: Int) throws {
    (self.name, self.port, key) = (name, port, try P256Key())
  }

  var request: PushSubscriptionRequest {
    PushSubscriptionRequest(
      endpoint: "http://127.0.0.1:\(port)/push/\(name)",
      keys: .init(p256dh: Base64URL.encode(key.publicKey), auth: Base64URL.encode(secret)), language: "de-AT")
  }

  /// The message about a call in what was posted.
  func read(_ posted: PushServer.Posted) throws -> PushMessage { try read(posted, as: PushMessage.self) }

  /// The message in what was posted (RFC 8291).
  func read<Message: Decodable>(_ posted: PushServer.Posted, as type: Message.Type) throws -> Message {
    let crypto = OpenSSLCrypto()
    let (salt, sender) = (Array(posted.body[..<16]), Array(posted.body[21..<86]))
    let info = Array("WebPush: info\u{0}".utf8) + key.publicKey + sender
    let secret = crypto.hkdfSHA256(
      secret: try key.sharedSecret(with: sender), salt: secret, info: info, byteCount: 32)
    let derive = { (name: String, count: Int) in
      crypto.hkdfSHA256(
        secret: secret, salt: salt, info: Array("Content-Encoding: \(name)\u{0}".utf8), byteCount: count)
    }
    let opened = try #require(
      crypto.openAES128GCM(Array(posted.body[86...]), key: derive("aes128gcm", 16), nonce: derive("nonce", 12)))
    let end = try #require(opened.lastIndex { $0 != 0 })
    #expect(opened[end] == 2)
    return try JSONDecoder().decode(Message.self, from: Data(opened[..<end]))
  }
}

@Suite(.timeLimit(.minutes(1))) struct PushTests {
  private func withHub(
    _ service: PushServer = PushServer(), limits: HubLimits = HubLimits(),
    _ body: @escaping @Sendable (HubFixture, Int) async throws -> Void
  ) async throws {
    try await service.run { port in
      var configuration = HubConfiguration()
      configuration.push = PushConfiguration(
        contact: "mailto:admin@example.org", services: [try #require(PushServiceName("http://127.0.0.1:\(port)"))])
      try await HubFixture.run(configuration, limits: limits) { hub in try await body(hub, port) }
    }
  }

  private func subscribe(_ browser: Browser, _ member: Member, _ hub: HubFixture) async throws -> String {
    let reply = try await hub.send(
      .POST, "/v1/push/subscriptions", browser.request, by: member, headers: [("User-Agent", "Firefox")])
    #expect(reply.status == 201, "\(reply.text)")
    return try reply.decode(PushSubscriptionGrant.self).id
  }

  private func overview(_ member: Member, _ hub: HubFixture) async throws -> PushOverview {
    try await hub.send(.GET, "/v1/push", by: member).decode(PushOverview.self)
  }

  private let call = "0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11"

  private func place(_ receiver: Member, by caller: Member, _ hub: HubFixture) async throws -> Reply {
    try await hub.send(
      .PUT, "/v1/sessions/\(call)",
      SessionRequest(receiverID: receiver.id, isAudio: true, isVideo: true, offer: "offer"), by: caller)
  }

  // MARK: Subscriptions

  @Test func aHubWithoutPushSaysSo() async throws {
    try await HubFixture.run { hub in
      let anna = try await hub.addPerson("Anna")
      let browser = try Browser("a", port: 1)
      for reply in [
        try await hub.send(.GET, "/v1/push", by: anna),
        try await hub.send(.POST, "/v1/push/subscriptions", browser.request, by: anna),
        try await hub.send(.DELETE, "/v1/push/subscriptions/x", by: anna),
      ] { #expect((reply.status, reply.problem) == (404, "push-off")) }
    }
  }

  @Test func subscriptionsBelongToALogin() async throws {
    try await withHub { hub, port in
      let anna = try await hub.addPerson("Anna")
      let other = try await hub.login(LoginRequest(userTitle: "Anna", password: HubFixture.password))
      let key = try await overview(anna, hub).applicationServerKey
      let octets = try #require(Base64URL.decode(key.utf8))
      #expect(P256Key.isPublicKey(octets))
      let first = try await subscribe(try Browser("a", port: port), anna, hub)
      let second = try await subscribe(try Browser("b", port: port), other, hub)
      let seen = try await overview(anna, hub)
      #expect(seen.applicationServerKey == key)
      #expect(seen.subscriptions.map(\.id) == [first, second])
      #expect(seen.subscriptions.map(\.isCurrentLogin) == [true, false])
      #expect(seen.subscriptions.map(\.client) == ["Firefox", "Firefox"])
      #expect(try await hub.send(.DELETE, "/v1/login", by: other).status == 204)
      #expect(try await overview(anna, hub).subscriptions.map(\.id) == [first])
      let ben = try await hub.addPerson("Ben")
      let path = "/v1/push/subscriptions/\(first)"
      #expect(try await hub.send(.DELETE, path, by: ben).problem == "not-found")
      #expect(try await hub.send(.DELETE, path, by: anna).status == 204)
      #expect(try await overview(anna, hub).subscriptions.isEmpty)
    }
  }

  /// A page that was closed for weeks opens when it is rung.
  @Test func aLoginThatRingsIsRenewedWeeksLater() async throws {
    try await withHub { hub, port in
      let anna = try await hub.addPerson("Anna")
      let login = try #require(try await hub.store.logins(ofUser: anna.id).first)
      let late = try await hub.token(of: anna, ranOut: 20, login: login.id)
      #expect(try await hub.send(.POST, "/v1/token", by: late).status == 401)
      let browser = try Browser("a", port: port)
      let id = try await subscribe(browser, anna, hub)
      #expect(try await subscribe(browser, anna, hub) == id)
      let kept = try #require(try await hub.store.login(id: login.id))
      #expect(kept.expiresAt - login.expiresAt > 28 * 86_400_000)
      #expect(
        try await hub.send(.POST, "/v1/token", by: hub.token(of: anna, ranOut: 31, login: login.id)).status == 401)
      let renewed = try await hub.send(.POST, "/v1/token", by: late).decode(LoginResponse.self)
      let member = Member(id: anna.id, token: renewed.accessToken)
      #expect(try await hub.send(.DELETE, "/v1/push/subscriptions/\(id)", by: member).status == 204)
      #expect(try await hub.send(.POST, "/v1/token", by: late).status == 401)
    }
  }

  @Test func aBrowserHasOneUserAndAUserTenBrowsers() async throws {
    try await withHub { hub, port in
      let (anna, ben) = (try await hub.addPerson("Anna"), try await hub.addPerson("Ben"))
      for index in 0..<12 { _ = try await subscribe(try Browser("\(index)", port: port), anna, hub) }
      #expect(try await overview(anna, hub).subscriptions.count == 10)
      _ = try await subscribe(try Browser("11", port: port), ben, hub)
      #expect(try await overview(anna, hub).subscriptions.count == 9)
    }
  }

  @Test func onlyPeopleSubscribe() async throws {
    try await withHub { hub, port in
      let device = try await hub.addDevice("gate")
      let reply = try await hub.send(
        .POST, "/v1/push/subscriptions", try Browser("a", port: port).request, by: device)
      #expect((reply.status, reply.problem) == (403, "not-allowed"))
    }
  }

  @Test func whatIsNoSubscriptionIsRefused() async throws {
    try await withHub { hub, port in
      let anna = try await hub.addPerson("Anna")
      let good = try Browser("a", port: port).request
      var requests = [PushSubscriptionRequest](repeating: good, count: 8)
      requests[0].endpoint = "http://push.example.org/a"
      requests[1].endpoint = "https://127.0.0.1:\(port)/push/a"
      requests[2].endpoint = "https://localhost/push/a"
      requests[3].keys.auth = "AAAA"
      requests[4].keys.p256dh = Base64URL.encode([4] + [UInt8](repeating: 1, count: 64))
      requests[5].language = "de\n"
      requests[6].keys.p256dh = "!"
      requests[7].endpoint = "https://name.invalid/push/a"
      for request in requests {
        let reply = try await hub.send(.POST, "/v1/push/subscriptions", request, by: anna)
        #expect((reply.status, reply.problem) == (400, "invalid-request"), "\(reply.text)")
      }
      let text =
        #"{"endpoint":"\#(good.endpoint)","expirationTime":null,"keys":{"p256dh":"\#(good.keys.p256dh)","#
        + #""auth":"\#(good.keys.auth)"}}"#
      let bytes = ByteBuffer(string: text)
      #expect(try await hub.send(.POST, "/v1/push/subscriptions", bytes: bytes, by: anna).status == 201)
    }
  }

  @Test func subscriptionsAreLimited() async throws {
    var limits = HubLimits()
    limits.pushSubscriptionsPerMinute = 2
    try await withHub(limits: limits) { hub, port in
      let anna = try await hub.addPerson("Anna")
      let request = try Browser("a", port: port).request
      for status in [201, 201, 429] {
        #expect(try await hub.send(.POST, "/v1/push/subscriptions", request, by: anna).status == status)
      }
    }
  }

  // MARK: Calls

  @Test func aPhoneRingsAndThePageThatOpensAnswers() async throws {
    let service = PushServer()
    try await withHub(service) { hub, port in
      let (gate, anna) = (try await hub.addDevice("Front gate"), try await hub.addPerson("Anna"))
      let browser = try Browser("a", port: port)
      try await hub.withEvents(of: gate) { events in
        #expect(try await place(anna, by: gate, hub).problem == "receiver-offline")
        _ = try await subscribe(browser, anna, hub)
        let before = Int64(Date().timeIntervalSince1970 * 1_000)
        #expect(try await place(anna, by: gate, hub).status == 201)
        let ringing = try await events.next(.callRinging, as: SessionEvent.self)
        #expect((ringing.sessionID.text, ringing.phones) == (call, 1))
        let posted = service.posted.withLock { $0[0] }
        let message = try browser.read(posted)
        #expect(message.kind == .callIncoming && message.sessionID.text == call && message.isVideo == true)
        #expect((message.callerID, message.callerTitle) == (gate.id, "Front gate"))
        let left = try #require(message.expiresAt) - before
        #expect((50_000...70_000).contains(left))
        #expect(posted.headers["content-encoding"] == "aes128gcm" && posted.headers["urgency"] == "high")
        let lifetime = try #require(posted.headers["ttl"].flatMap { Int($0) })
        #expect((50...60).contains(lifetime))
        #expect(posted.body.count == 1_024 + 16 + 86)
        try await hub.withEvents(of: anna) { page in
          let incoming = try await page.next(.callIncoming, as: IncomingCallEvent.self)
          #expect(incoming.sessionID.text == call && incoming.offer == "offer")
          let answer = SessionDescription(sdp: "answer")
          #expect(try await hub.send(.POST, "/v1/sessions/\(call)/answer", answer, by: anna).status == 204)
        }
        try await hub.eventually { service.posted.withLock { $0.count } == 2 }
        let last = service.posted.withLock { $0[1] }
        #expect(try browser.read(last).outcome == .answered)
        #expect(last.headers["topic"] == posted.headers["topic"] && last.headers["topic"]?.utf8.count == 32)
        #expect(last.headers["ttl"] == "60")
        try await hub.eventually { try await hub.metric("push_messages_total") == 2 }
      }
    }
  }

  @Test func aMissedCallIsKeptForADay() async throws {
    let service = PushServer()
    try await withHub(service) { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      let browser = try Browser("a", port: port)
      _ = try await subscribe(browser, anna, hub)
      try await hub.withEvents(of: gate) { events in
        #expect(try await place(anna, by: gate, hub).status == 201)
        _ = try await events.next(.callRinging, as: SessionEvent.self)
        #expect(try await hub.send(.DELETE, "/v1/sessions/\(call)", by: gate).status == 204)
        try await hub.eventually { service.posted.withLock { $0.count } == 2 }
        let last = service.posted.withLock { $0[1] }
        let message = try browser.read(last)
        #expect(message.kind == .callEnded && message.outcome == .missed && message.callerTitle == "gate")
        #expect(last.headers["ttl"] == "86400")
      }
    }
  }

  @Test(arguments: [404, 410]) func whatHasEndedIsForgottenAndTheCallEnds(status: Int) async throws {
    let service = PushServer([(.init(code: status), nil)])
    try await withHub(service) { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      _ = try await subscribe(try Browser("a", port: port), anna, hub)
      try await hub.withEvents(of: gate) { events in
        #expect(try await place(anna, by: gate, hub).status == 201)
        let end = try await events.next(.callEnded, as: SessionEndedEvent.self)
        #expect(end.reason == "unreachable")
      }
      #expect(try await overview(anna, hub).subscriptions.isEmpty)
      #expect(try await place(anna, by: gate, hub).status != 201)
    }
  }

  @Test func aBusyServiceIsAskedAgainInItsTime() async throws {
    let service = PushServer([(.tooManyRequests, "1"), (.internalServerError, nil)])
    try await withHub(service) { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      _ = try await subscribe(try Browser("a", port: port), anna, hub)
      try await hub.withEvents(of: gate) { events in
        let start = ContinuousClock.now
        #expect(try await place(anna, by: gate, hub).status == 201)
        let ringing = try await events.next(.callRinging, as: SessionEvent.self)
        #expect(ringing.phones == 1)
        #expect(ContinuousClock.now - start >= .seconds(1))
        #expect(service.posted.withLock { $0.count } == 3)
      }
    }
  }

  /// Those who share no group with the caller any longer learn nothing of the call.
  @Test func whoMayNotKnowTheCallerIsSentNothing() async throws {
    let service = PushServer()
    try await withHub(service) { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      _ = try await subscribe(try Browser("a", port: port), anna, hub)
      try await hub.withEvents(of: gate) { events in
        #expect(try await place(anna, by: gate, hub).status == 201)
        _ = try await events.next(.callRinging, as: SessionEvent.self)
        var record = try #require(try await hub.store.user(id: anna.id))
        record.groups = ["elsewhere"]
        try await hub.store.update(record)
        #expect(try await hub.send(.DELETE, "/v1/sessions/\(call)", by: gate).status == 204)
        try await Task.sleep(for: .milliseconds(300))
        #expect(service.posted.withLock { $0.count } == 1)
        #expect(try await place(anna, by: gate, hub).status != 201)
      }
    }
  }

  @Test func anotherPasswordEndsSubscriptions() async throws {
    try await withHub { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      _ = try await subscribe(try Browser("a", port: port), anna, hub)
      _ = try await hub.accounts.setPassword(title: "Anna", password: "another long one", cost: HubFixture.cheap)
      #expect(try await place(anna, by: gate, hub).problem == "receiver-offline")
    }
  }

  // MARK: Identification

  @Test func rfc8292Tokens() throws {
    let key = try P256Key()
    let hub = ServerIdentification(key: key, contact: "mailto:admin@example.org")
    let field = try hub.authorization(for: "https://push.example.org", now: 1_000_000)
    let parts = field.split(separator: " ")
    #expect(parts.count == 3 && parts[0] == "vapid" && parts[2] == "k=\(Base64URL.encode(key.publicKey))")
    let token = parts[1].dropFirst(2).dropLast()
    #expect(parts[1].hasPrefix("t=") && parts[1].hasSuffix(","))
    let pieces = token.split(separator: ".")
    let header = try #require(Base64URL.decode(pieces[0].utf8))
    #expect(String(decoding: header, as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
    let claims = try #require(Base64URL.decode(pieces[1].utf8))
    #expect(
      String(decoding: claims, as: UTF8.self)
        == #"{"aud":"https://push.example.org","exp":1043200,"sub":"mailto:admin@example.org"}"#)
    #expect(Base64URL.decode(pieces[2].utf8)?.count == 64)
    // Used again, until there is little left of it; another service gets another.
    #expect(try hub.authorization(for: "https://push.example.org", now: 1_039_000) == field)
    #expect(try hub.authorization(for: "https://push.example.org", now: 1_040_000) != field)
    #expect(try hub.authorization(for: "https://push.example.net", now: 1_000_000) != field)
  }
}

extension HubFixture {
  /// A genuine token of a login that ran out so many days ago.
  fileprivate func token(of member: Member, ranOut days: Int64, login: String) async throws -> Member {
    let key = try #require(try await store.signingKeys().last)
    let now = Int64(Date().timeIntervalSince1970)
    let claims = AccessClaims(
      userID: member.id, role: .user, issuedAt: now - days * 86_400 - 60, lifetime: 60, tokenID: "late",
      loggedInAt: now - 60, loginID: login, number: 0)
    let token = try SignedToken.sign(
      Array(try JSONEncoder().encode(claims)), keyID: key.keyID, with: Ed25519Key(privateKey: key.privateKey))
    return Member(id: member.id, token: token)
  }
}
