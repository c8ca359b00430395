import Foundation
import HTTPTypes
import HubCore
import HubStore
import HubStoreSQLite
import NIOCore
import NIOHTTP1
import SDP
import Signalling
import Testing

@testable import HubHTTP

/// WHEP: players view a device by a link or an account's token.
@Suite(.timeLimit(.minutes(1)))
struct ViewTests {
  private static let hour: Int64 = 3_600_000
  private static let offer = try! vector("chromium-offer")
  private static let answer = try! vector("chromium-answer.golden")
  private static let candidate = "candidate:7 1 udp 2122260223 192.0.2.9 61764 typ host"
  private static let sdp = [("Content-Type", "application/sdp")]

  private static func vector(_ name: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: folder.appending(path: "Vectors/sdp/\(name).sdp"), encoding: .utf8)
  }

  // MARK: A view

  @Test func aLinkViewsFromOfferToDelete() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let link = try await self.link(hub, door)
      try await self.withDevice(hub, door) { device in
        let begun = try await self.begin(hub, link)
        #expect(begun.status == 201 && begun.headers.first(name: "Content-Type") == "application/sdp", "\(begun.text)")
        #expect(
          begun.text.contains("a=end-of-candidates") && begun.headers["Accept-Patch"] == [WHEPRoutes.fragmentType])
        let call = try await device.incoming()
        #expect(call.callerRole == "viewer" && call.callerGroups.isEmpty && call.callerTitle == "Wall")
        #expect(!call.offer.contains("trickle"), "the device is to answer with all candidates")
        let tag = try #require(begun.headers.first(name: "ETag"))
        let location = try #require(begun.headers.first(name: "Location"))
        #expect(tag.hasPrefix("\"") && location.contains("?token="))
        try await self.change(hub, "/v1/whep/\(location)", tag, device)
        #expect(try await hub.send(.DELETE, "/v1/whep/\(location)").status == 200)
        #expect(try await device.next(.callEnded).contains("hangup"))
        #expect(try await hub.send(.DELETE, "/v1/whep/\(location)").status == 200, "it is harmless to end it twice")
        let trickle = [("If-Match", "*")]
        #expect(try await self.patch(hub, "/v1/whep/\(location)", "", trickle).problem == "session-unknown")
        let other = location.replacing("/\(call.sessionID)", with: "/\(UUID().uuidString.lowercased())")
        #expect(try await hub.send(.DELETE, "/v1/whep/\(other)").problem == "session-unknown")
      }
      #expect(try await hub.metric("views_total") == 1)
      try await hub.eventually {
        try await hub.store.audit(before: nil, limit: 9).contains { $0.entry.kind == "view-begun" }
      }
    }
  }

  /// Candidates, and a restart of ICE.
  private func change(_ hub: HubFixture, _ path: String, _ tag: String, _ device: Device) async throws {
    let name = try #require(try SessionDescriptionParser.parse(Self.offer).media[0].transport.iceUsernameFragment)
    let trickled =
      "a=ice-ufrag:\(name)\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\na=\(Self.candidate)\r\na=end-of-candidates\r\n"
    #expect(try await patch(hub, path, trickled, []).problem == "precondition-required")
    #expect(try await patch(hub, path, trickled, [("If-Match", "\"other\"")]).problem == "precondition-failed")
    #expect(try await patch(hub, path, trickled, [("If-Match", tag)]).status == 204)
    #expect(try await device.next(.callCandidates).contains("192.0.2.9"))
    let restart = "a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n"
    let restarted = try await patch(hub, path, restart, [("If-Match", "*")])
    #expect(restarted.status == 200 && restarted.headers.first(name: "Content-Type") == WHEPRoutes.fragmentType)
    let after = try #require(restarted.headers.first(name: "ETag"))
    #expect(after != tag && restarted.text.contains("a=ice-ufrag:") && restarted.text.contains("a=candidate:"))
    #expect(try await device.next(.callOffer).contains("EsAw"))
    #expect(try await patch(hub, path, trickled, [("If-Match", tag)]).status == 412)
    #expect(try await patch(hub, path, restart, [("If-Match", after)]).status == 204, "nothing changes by the same")
    #expect(try await patch(hub, path, "a=ice-ufrag:Other", [("If-Match", after)]).problem == "unusable-description")
  }

  @Test func anAccountViewsAsAViewerAndSeesNoMore() async throws {
    try await HubFixture.run { hub in
      let (door, anna) = (try await hub.addDevice("door"), try await hub.addPerson("anna", role: .operator))
      let bert = try await hub.addPerson("bert")
      try await self.withDevice(hub, door) { device in
        let begun = try await self.begin(hub, "/v1/whep/\(door.id)", by: anna)
        let call = try await device.incoming()
        #expect(begun.status == 201 && call.callerRole == "viewer" && call.callerID == "viewer-\(anna.id)")
        #expect(call.callerGroups == ["default"] && call.callerTitle == "anna")
        let path = "/v1/whep/\(try #require(begun.headers.first(name: "Location")))"
        #expect(!path.contains("token"))
        #expect(try await hub.send(.DELETE, path).status == 401)
        #expect(try await hub.send(.DELETE, path, by: bert).problem == "session-unknown")
        let trickle = [("Content-Type", WHEPRoutes.fragmentType), ("If-Match", "*")]
        #expect(try await hub.send(.PATCH, path, bytes: ByteBuffer(), by: bert, headers: trickle).status == 404)
        let id = path.split(separator: "/").last ?? ""
        #expect(try await hub.send(.DELETE, "/v1/sessions/\(id)", by: anna).status == 404, "it is the viewer's")
        #expect(try await hub.send(.DELETE, path, by: anna).status == 200)
      }
      let users = try await hub.send(.GET, "/v1/users", by: bert)
      #expect(!users.text.contains("viewer-"))
    }
  }

  @Test func candidatesBehindTheAnswerAreInIt() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let link = try await self.link(hub, door)
      let early = Self.answer.replacing("a=end-of-candidates\r\n", with: "")
      try await self.withDevice(hub, door, answer: early, candidates: [Self.candidate, ""]) { _ in
        let begun = try await self.begin(hub, link)
        let parsed = try SessionDescriptionParser.parse(begun.text)
        #expect(parsed.media[0].candidates.contains { $0.host == "192.0.2.9" } && parsed.media[0].hasEndOfCandidates)
      }
    }
  }

  // MARK: Refusals

  @Test func tokensThatAreNoneOpenNothing() async throws {
    try await HubFixture.run { hub in
      let (door, gate) = (try await hub.addDevice("door"), try await hub.addDevice("gate"))
      let link = try await self.link(hub, door)
      let tokens = hub.server.identities.tokens
      let id = try #require(try await hub.store.invitations().first?.id)
      let old = try tokens.sign(ViewLinkClaims(sub: id, device: door.id, exp: TokenAuthority.now - 1))
      let session = try await tokens.sessionToken(userID: door.id, role: .moderator, sessionID: "s")
      let foreign = try tokens.sign(ViewLinkClaims(sub: "no-such-invitation", device: door.id, exp: .max))
      let path = "/v1/whep/\(door.id)"
      for token in ["", "x", String(link.dropLast()) + "A", old, session, foreign, door.token, "a.b.c"] {
        let text = token.split(separator: "=").last.map(String.init) ?? ""
        let reply = try await self.begin(hub, "\(path)?token=\(text)")
        #expect(reply.status == 401 && reply.headers.first(name: "WWW-Authenticate") == "Bearer", "\(token)")
      }
      #expect(try await self.begin(hub, path).status == 401)
      #expect(try await self.begin(hub, link.replacing(door.id, with: gate.id)).status == 403)
      #expect(try await self.begin(hub, path, by: gate).status == 403)
      // The other way round: a link's token is no access token.
      let stolen = Member(id: "", token: String(link.split(separator: "=").last ?? ""))
      #expect(try await hub.send(.GET, "/v1/users", by: stolen).status == 401)
      try await hub.eventually {
        try await hub.store.audit(before: nil, limit: 99).contains { $0.entry.kind == "view-refused" }
      }
      let log = try await hub.store.audit(before: nil, limit: 99)
      #expect(!log.contains { "\($0)".contains("eyJ") }, "tokens stand in no log")
    }
  }

  @Test func whatCannotBeUsedIsNamed() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let link = try await self.link(hub, door)
      #expect(try await self.begin(hub, link, headers: [("Content-Type", "application/json")]).status == 415)
      #expect(try await self.begin(hub, link, headers: []).problem == "unsupported-media-type")
      #expect(try await self.begin(hub, link, headers: Self.sdp + [("Accept", "text/html")]).status == 406)
      let wide = [("Content-Type", "Application/SDP; charset=utf-8"), ("Accept", "text/html, */*;q=0.1")]
      #expect(try await self.begin(hub, link, headers: wide).status == 409, "the device is not online")
      for offer in ["", "hello", "v=0\r\n", Self.offer.replacing("sendrecv", with: "sendonly")] {
        #expect(try await self.begin(hub, link, offer).problem == "unusable-description", "\(offer)")
      }
      for line in ["a=ice-ufrag", "a=fingerprint"] {
        let lines = Self.offer.split(separator: "\r\n").filter { !$0.hasPrefix(line) }
        #expect(try await self.begin(hub, link, lines.joined(separator: "\r\n") + "\r\n").status == 422, "\(line)")
      }
      #expect(try await self.begin(hub, link, String(repeating: "a", count: 1 << 20)).status == 413)
      let offline = try await self.begin(hub, link)
      #expect(offline.problem == "device-offline" && offline.headers.first(name: "Retry-After") == "10")
      let anna = try await hub.addPerson("anna")
      #expect(try await self.begin(hub, "/v1/whep/nobody", by: anna).status == 404)
      #expect(try await self.begin(hub, "/v1/whep/\(anna.id)", by: anna).status == 404)
      let far = try await hub.addDevice("far", groups: ["elsewhere"])
      #expect(try await self.begin(hub, "/v1/whep/\(far.id)", by: anna).status == 404)
    }
  }

  @Test(arguments: [
    (RejectReason.notAllowed, 403), (.declined, 403), (.outsideHours, 403), (.busy, 409), (.unanswered, 409),
    (.rateLimited, 429), (.notAcceptable, 406), (.notVerified, 502),
  ])
  func theDevicesRefusalIsPassedOn(reason: RejectReason, status: Int) async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let link = try await self.link(hub, door)
      try await self.withDevice(hub, door, rejecting: reason) { _ in
        let reply = try await self.begin(hub, link)
        #expect(reply.status == status, "\(reply.text)")
        if [409, 429].contains(status) { #expect(reply.headers.first(name: "Retry-After") == "10") }
      }
    }
  }

  @Test func aDeviceThatSaysNothingIsNotWaitedForLong() async throws {
    var limits = HubLimits()
    limits.viewAnswerTimeout = .milliseconds(200)
    try await HubFixture.run(limits: limits) { hub in
      let door = try await hub.addDevice("door")
      let link = try await self.link(hub, door)
      try await hub.withEvents(of: door) { events in
        try await hub.publish(door, stream: events)
        #expect(try await self.begin(hub, link).problem == "device-timeout")
        #expect(try await events.next().name == "call.incoming")
        #expect(try await events.next().name == "call.ended")
      }
    }
  }

  @Test func floodsOfOneLinkAreBounded() async throws {
    var limits = HubLimits()
    (limits.viewsPerMinute, limits.viewRequestsPerAddress) = (6, 90)
    try await HubFixture.run(limits: limits) { hub in
      let (door, anna) = (try await hub.addDevice("door"), try await hub.addPerson("anna"))
      let link = try await self.link(hub, door)
      try await self.withDevice(hub, door, rejecting: .busy) { _ in
        var statuses: [Int: Int] = [:]
        for _ in 0..<40 { statuses[try await self.begin(hub, link).status, default: 0] += 1 }
        // Time passes meanwhile, in which there is room for a few more.
        let (admitted, refused) = (statuses[409] ?? 0, statuses[429] ?? 0)
        #expect((6..<20).contains(admitted) && admitted + refused == 40, "\(statuses)")
        let call = SessionRequest(receiverID: door.id, isAudio: true, isVideo: true, offer: "v=0\r\n")
        let path = "/v1/sessions/\(UUID().uuidString.lowercased())"
        #expect(try await hub.send(.PUT, path, call, by: anna).status == 201, "others call as ever")
      }
      var status = 0
      for _ in 0..<500 where status != 429 { status = try await self.begin(hub, "/v1/whep/x").status }
      #expect(status == 429, "an address has a limit, too")
    }
  }

  // MARK: The end

  @Test func aRevokedLinkEndsItsViewsAtOnce() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let admin = try await hub.addPerson("admin", role: .operator)
      let wish = ViewLinkRequest(name: "Wall", deviceID: door.id, until: TokenAuthority.nowInMilliseconds + Self.hour)
      let grant = try await hub.send(.POST, "/v1/view-links", wish, by: admin).decode(ViewLinkGrant.self)
      let listed = try await hub.send(.GET, "/v1/invitations", by: admin).decode(InvitationList.self)
      #expect(listed.items.map(\.isLink) == [true] && !listed.items.contains { "\($0)".contains("eyJ") })
      try await self.withDevice(hub, door) { device in
        let begun = try await self.begin(hub, "/" + grant.link)
        #expect(begun.status == 201)
        #expect(try await hub.send(.DELETE, "/v1/invitations/\(grant.id)", by: admin).status == 204)
        _ = try await device.next(.callEnded)
        #expect(try await self.begin(hub, "/" + grant.link).status == 401)
        let location = try #require(begun.headers.first(name: "Location"))
        #expect(try await hub.send(.DELETE, "/v1/whep/\(location)").status == 401)
      }
    }
  }

  @Test func aViewEndsWithTheRightToIt() async throws {
    try await HubFixture.run { hub in
      let (door, anna) = (try await hub.addDevice("door"), try await hub.addPerson("anna"))
      let admin = try await hub.addPerson("admin", role: .operator)
      let wish = ViewLinkRequest(name: "Wall", deviceID: door.id, until: TokenAuthority.nowInMilliseconds + Self.hour)
      let grant = try await hub.send(.POST, "/v1/view-links", wish, by: admin).decode(ViewLinkGrant.self)
      try await self.withDevice(hub, door) { device in
        #expect(try await self.begin(hub, "/v1/whep/\(door.id)", by: anna).status == 201)
        #expect(try await self.begin(hub, "/" + grant.link).status == 201)
        // Who made the link, and the account that views.
        try await hub.store.removeUser(id: admin.id)
        _ = try await device.next(.callEnded)
        try await hub.store.removeUser(id: anna.id)
        _ = try await device.next(.callEnded)
      }
    }
  }

  @Test func linksAreForOperatorsToMakeAndNotForLong() async throws {
    try await HubFixture.run { hub in
      let (door, anna) = (try await hub.addDevice("door"), try await hub.addPerson("anna"))
      let far = try await hub.addDevice("far", groups: ["elsewhere"])
      let admin = try await hub.addPerson("admin", role: .operator)
      let now = TokenAuthority.nowInMilliseconds
      func make(_ device: Member, _ until: Int64, by member: Member) async throws -> Int {
        let wish = ViewLinkRequest(name: "Wall", deviceID: device.id, until: until)
        return try await hub.send(.POST, "/v1/view-links", wish, by: member).status
      }
      #expect(try await make(door, now + Self.hour, by: anna) == 403)
      #expect(try await make(far, now + Self.hour, by: admin) == 404)
      #expect(try await make(anna, now + Self.hour, by: admin) == 404)
      #expect(try await make(door, now - 1, by: admin) == 400)
      #expect(try await make(door, now + 40 * 24 * Self.hour, by: admin) == 400)
      #expect(try await make(door, now + 30 * 24 * Self.hour, by: admin) == 201)
    }
  }

  // MARK: Pages of elsewhere

  @Test func pagesOfAllowedOriginsReadWhatTheyNeed() async throws {
    var configuration = HubConfiguration()
    configuration.allowedOrigins = ["https://wall.example"]
    try await HubFixture.run(configuration) { hub in
      let door = try await hub.addDevice("door")
      let wall = [("Origin", "https://wall.example")]
      let preflight = try await hub.send(.OPTIONS, "/v1/whep/\(door.id)", headers: wall)
      #expect(preflight.status == 204 && preflight.headers["Accept-Post"] == ["application/sdp"])
      #expect(preflight.headers["Access-Control-Allow-Origin"] == ["https://wall.example"])
      #expect(preflight.headers.first(name: "Access-Control-Allow-Headers")?.contains("If-Match") == true)
      let refused = try await self.begin(hub, "/v1/whep/\(door.id)", headers: wall + Self.sdp)
      #expect(refused.status == 401 && refused.headers["Access-Control-Allow-Origin"] == ["https://wall.example"])
      #expect(refused.headers.first(name: "Access-Control-Expose-Headers")?.contains("Location") == true)
      let elsewhere = try await hub.send(.OPTIONS, "/v1/whep/\(door.id)", headers: [("Origin", "https://evil.example")])
      #expect(elsewhere.status == 403 && elsewhere.headers["Access-Control-Allow-Origin"].isEmpty)
      #expect(try await hub.send(.OPTIONS, "/v1/users", headers: wall).headers["Access-Control-Allow-Origin"].isEmpty)
      #expect(try await hub.send(.OPTIONS, "/v1/whep/\(door.id)").headers["Accept-Post"] == ["application/sdp"])
      #expect(try await hub.send(.GET, "/v1/whep/\(door.id)").status == 405)
    }
  }

  @Test func relaysAreNamedInLinkFields() async throws {
    var configuration = HubConfiguration()
    configuration.turn = HubConfiguration.Turn(
      uris: ["stun:192.0.2.1:3478", "turn:192.0.2.1:3478?transport=udp"], secret: "secret", lifetime: .seconds(60))
    try await HubFixture.run(configuration) { hub in
      let door = try await hub.addDevice("door")
      let link = try await self.link(hub, door)
      try await self.withDevice(hub, door) { _ in
        let fields = try await self.begin(hub, link).headers["Link"]
        #expect(fields.count == 2 && fields[0] == "<stun:192.0.2.1:3478>; rel=\"ice-server\"")
        #expect(fields[1].contains("; username=\"") && fields[1].contains("; credential-type=\"password\""))
      }
    }
  }

  // MARK: Parts

  private func begin(
    _ hub: HubFixture, _ path: String, _ offer: String = offer, by member: Member? = nil,
    headers: [(String, String)] = sdp
  ) async throws -> Reply {
    try await hub.send(.POST, path, bytes: ByteBuffer(string: offer), by: member, headers: headers)
  }

  private func patch(
    _ hub: HubFixture, _ path: String, _ body: String, _ headers: [(String, String)]
  ) async throws -> Reply {
    let type = [("Content-Type", WHEPRoutes.fragmentType)]
    return try await hub.send(.PATCH, path, bytes: ByteBuffer(string: body), headers: headers + type)
  }

  private func link(_ hub: HubFixture, _ device: Member) async throws -> String {
    let now = TokenAuthority.nowInMilliseconds
    let record = try await Invitations(store: hub.store).makeLink(
      ViewLinkRequest(name: "Wall", deviceID: device.id, until: now + Self.hour), by: .localAdministrator("root"),
      id: UUID().uuidString.lowercased(), now: now)
    return try #require(try hub.server.identities.tokens.viewLink(for: record))
  }

  /// A device that answers, or rejects, what it is called for, while `body` runs.
  private func withDevice(
    _ hub: HubFixture, _ member: Member, answer: String = answer, candidates: [String] = [],
    rejecting reason: RejectReason? = nil, _ body: @Sendable (Device) async throws -> Void
  ) async throws {
    try await hub.withEvents(of: member) { events in
      try await hub.publish(member, stream: events)
      let device = Device()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          while true {
            let event = try await events.next()
            device.note(event)
            try await Self.react(to: event, hub, member, answer, candidates, reason)
          }
        }
        defer { group.cancelAll() }
        try await body(device)
      }
    }
  }

  private static func react(
    to event: ServerSentEvent, _ hub: HubFixture, _ member: Member, _ answer: String, _ candidates: [String],
    _ reason: RejectReason?
  ) async throws {
    var (id, number): (SessionID, Int?)
    switch event.name {
    case "call.incoming":
      (id, number) = (try JSONDecoder().decode(IncomingCallEvent.self, from: Data(event.data)).sessionID, 0)
    case "call.offer":
      let offer = try JSONDecoder().decode(DescriptionEvent.self, from: Data(event.data))
      (id, number) = (offer.sessionID, offer.offerNumber)
    default: return
    }
    let path = "/v1/sessions/\(id)"
    if let reason {
      _ = try await hub.send(.POST, "\(path)/reject", SessionEnding(reason: reason.rawValue), by: member)
      return
    }
    let description = SessionDescription(sdp: answer, offerNumber: number)
    _ = try await hub.send(.POST, "\(path)/answer", description, by: member)
    guard !candidates.isEmpty else { return }
    let message = SessionCandidates(
      candidates: candidates.map { SessionCandidates.Candidate(candidate: $0, sdpMid: nil, sdpMLineIndex: nil) })
    _ = try await hub.send(.POST, "\(path)/candidates", message, by: member)
  }
}

/// What a device has been sent.
private final class Device: Sendable {
  private let events: AsyncStream<ServerSentEvent>
  private let continuation: AsyncStream<ServerSentEvent>.Continuation

  init() { (events, continuation) = AsyncStream.makeStream() }

  func note(_ event: ServerSentEvent) { continuation.yield(event) }

  /// The next event of that name; earlier ones are left out.
  func next(_ name: EventName) async throws -> String {
    for await event in events where event.name == name.rawValue { return String(decoding: event.data, as: UTF8.self) }
    throw FixtureError.streamEnded
  }

  func incoming() async throws -> IncomingCallEvent {
    try JSONDecoder().decode(IncomingCallEvent.self, from: Data(try await next(.callIncoming).utf8))
  }
}
