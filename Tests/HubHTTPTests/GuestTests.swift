import Foundation
import HTTPTypes
import HubCore
import HubStore
import HubStoreSQLite
import NIOHTTP1
import OpenSSLCrypto
import SessionToken
import Signalling
import Testing

@testable import HubHTTP

/// Guests: who has an invitation's code, and what it opens, and what not.
@Suite(.timeLimit(.minutes(1)))
struct GuestTests {
  private static let day: Int64 = 86_400_000

  @Test func aGuestSeesAndCallsTheDeviceOfTheInvitationAlone() async throws {
    try await HubFixture.run { hub in
      let (door, gate) = (try await hub.addDevice("door"), try await hub.addDevice("gate"))
      let guest = try await self.guest(of: hub, device: door)
      let overview = try await hub.send(.GET, "/v1/invitation", by: guest).decode(GuestOverview.self)
      #expect(overview.devices.map(\.userID) == [door.id] && overview.name == "Parcel service")
      #expect(overview.devices.map(\.isOnline) == [false])
      try await hub.withEvents(of: door) { doorEvents in
        try await hub.publish(door, stream: doorEvents)
        try await hub.withEvents(of: gate) { gateEvents in
          try await hub.publish(gate, stream: gateEvents)
          #expect(try await self.call(gate.id, by: guest, at: hub).problem == "receiver-offline")
          #expect(try await self.call(door.id, by: guest, at: hub).status == 201)
          let event = try await doorEvents.next()
          #expect(event.name == "call.incoming")
          let call = try JSONDecoder().decode(IncomingCallEvent.self, from: Data(event.data))
          #expect(call.callerRole == "guest" && call.callerGroups.isEmpty && call.callerTitle == "Parcel service")
        }
      }
    }
  }

  @Test func nothingElseIsForGuests() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let guest = try await self.guest(of: hub, device: door)
      let others = APIOperation.all.filter { operation in
        guard case .token(let roles) = operation.access else { return false }
        return !roles.contains(.guest)
      }
      let calling = ["presence", "events", "sessions"]
      for operation in others where !calling.contains(operation.subject.rawValue) && operation.id != "renewToken" {
        let path = operation.path.replacing("{userID}", with: door.id).replacing(#/\{\w+\}/#, with: "x")
        let reply = try await hub.send(HTTPMethod(rawValue: operation.method.rawValue), path, by: guest)
        #expect([401, 403].contains(reply.status), "\(operation.route): \(reply.status)")
      }
      for path in ["/v1/users", "/v1/users/\(door.id)/events?from=0&before=1", "/v1/audit", "/v1/accounts"] {
        #expect(try await hub.send(.GET, path, by: guest).status == 403, "\(path)")
      }
      #expect(try await hub.send(.POST, "/v1/token", by: guest).status == 401)
    }
  }

  @Test func aGuestHasNoPartInOthersCalls() async throws {
    try await HubFixture.run { hub in
      let (door, user) = (try await hub.addDevice("door"), try await hub.addPerson("anna"))
      let guest = try await self.guest(of: hub, device: door)
      try await hub.withEvents(of: door) { events in
        try await hub.publish(door, stream: events)
        let id = UUID().uuidString.lowercased()
        let request = SessionRequest(receiverID: door.id, isAudio: true, isVideo: true, offer: "v=0\r\n")
        #expect(try await hub.send(.PUT, "/v1/sessions/\(id)", request, by: user).status == 201)
        let signal = SessionSignal(type: "chat", data: "hello")
        let reply = try await hub.send(.POST, "/v1/sessions/\(id)/signal", signal, by: guest)
        #expect([403, 404].contains(reply.status), "\(reply.text)")
        #expect([403, 404].contains(try await hub.send(.DELETE, "/v1/sessions/\(id)", by: guest).status))
      }
    }
  }

  @Test func anInvitationForSoundCarriesNoVideo() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let guest = try await self.guest(of: hub, device: door, media: .audio)
      try await hub.withEvents(of: door) { events in
        try await hub.publish(door, stream: events)
        #expect(try await self.call(door.id, by: guest, at: hub, isVideo: true).status == 403)
        let hidden = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=recvonly\r\n"
        #expect(try await self.call(door.id, by: guest, at: hub, offer: hidden).status == 403)
        #expect(try await self.call(door.id, by: guest, at: hub).status == 201)
      }
    }
  }

  @Test func whoOnlyWatchesIsASubscriber() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let guest = try await self.guest(of: hub, device: door, media: .watch)
      try await hub.withEvents(of: door) { events in
        try await hub.publish(door, stream: events)
        let reply = try await self.call(door.id, by: guest, at: hub, isVideo: true)
        let grant = try reply.decode(SessionGrant.self)
        #expect(grant.publisherToken == nil && grant.subscriberToken != nil)
      }
    }
  }

  // MARK: Browsers

  @Test func theFirstBrowserKeepsTheInvitation() async throws {
    try await HubFixture.run { hub in
      let code = try await self.code(of: hub, device: try await hub.addDevice("door"))
      let (key, other) = (Self.makeKey(), Self.makeKey())
      #expect(try await self.redeem(InvitationRedemption(code: code, key: key), at: hub).status == 200)
      // An answer may get lost: the same key is the same browser.
      #expect(try await self.redeem(InvitationRedemption(code: code, key: key), at: hub).status == 200)
      #expect(try await self.redeem(InvitationRedemption(code: code, key: other), at: hub).problem == "invitation-used")
      let challenge = try await self.view(code, at: hub).challenge
      let proof = Self.proof(of: challenge, by: key)
      let again = InvitationRedemption(code: code, challenge: challenge, proof: proof)
      #expect(try await self.redeem(again, at: hub).status == 200)
      // Who has the code alone, as from a copied address, has no proof; another invitation's challenge is none.
      let forged = InvitationRedemption(
        code: code, challenge: challenge, proof: Self.proof(of: challenge, by: other))
      #expect(try await self.redeem(forged, at: hub).problem == "invitation-used")
      let second = try await self.code(of: hub, device: try await hub.addDevice("gate"))
      let foreign = try await self.view(second, at: hub).challenge
      let mixed = InvitationRedemption(code: code, challenge: foreign, proof: Self.proof(of: foreign, by: key))
      #expect(try await self.redeem(mixed, at: hub).problem == "invitation-used")
    }
  }

  @Test func guessingIsSlow() async throws {
    try await HubFixture.run { hub in
      var statuses: [Int] = []
      for number in 0..<30 {
        statuses.append(
          try await hub.send(.POST, "/v1/invitations/check", InvitationCheck(code: "guess-number-\(1_000 + number)"))
            .status)
      }
      #expect(statuses.prefix(GuestService.wrongCodesPerMinute).allSatisfy { $0 == 404 } && statuses.last == 429)
    }
  }

  @Test func earlyAndLateCodesOpenNothing() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let now = TokenAuthority.nowInMilliseconds
      let early = try await self.code(of: hub, device: door, from: now + Self.day, until: now + 2 * Self.day)
      #expect(try await self.view(early, at: hub).state == .early)
      let redemption = InvitationRedemption(code: early, key: Self.makeKey())
      #expect(try await self.redeem(redemption, at: hub).problem == "invitation-early")
      let late = try await self.code(of: hub, device: door, until: now + 4_000)
      let guest = try await self.guest(code: late, of: hub)
      try await hub.eventually { try await hub.send(.GET, "/v1/invitation", by: guest).status == 401 }
      // Tokens end with a whole second.
      try await hub.eventually { try await self.view(late, at: hub).state == .expired }
      let again = InvitationRedemption(code: late, key: Self.makeKey())
      #expect(try await self.redeem(again, at: hub).problem == "invitation-expired")
    }
  }

  @Test func aRevokedGuestIsOutAtOnceAndTheCallEnds() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let admin = try await hub.addPerson("admin", role: .operator)
      let grant = try await hub.send(.POST, "/v1/invitations", self.request(door, .video), by: admin)
        .decode(InvitationGrant.self)
      let guest = try await self.guest(code: grant.code, of: hub)
      try await hub.withEvents(of: door) { events in
        try await hub.publish(door, stream: events)
        #expect(try await self.call(door.id, by: guest, at: hub).status == 201)
        #expect(try await events.next().name == "call.incoming")
        #expect(try await hub.send(.DELETE, "/v1/invitations/\(grant.id)", by: admin).status == 204)
        #expect(try await events.next().name == "call.ended")
        #expect(try await hub.send(.GET, "/v1/invitation", by: guest).status == 401)
        #expect(try await self.call(door.id, by: guest, at: hub).status == 401)
      }
      #expect(try await self.view(grant.code, at: hub).state == .revoked)
    }
  }

  @Test func anInvitationEndsWithItsMakersRights() async throws {
    try await HubFixture.run { hub in
      let door = try await hub.addDevice("door")
      let admin = try await hub.addPerson("admin", role: .operator)
      let grant = try await hub.send(.POST, "/v1/invitations", self.request(door, .video), by: admin)
        .decode(InvitationGrant.self)
      let guest = try await self.guest(code: grant.code, of: hub)
      #expect(try await hub.send(.GET, "/v1/invitation", by: guest).status == 200)
      try await hub.store.removeUser(id: admin.id)
      #expect(try await hub.send(.GET, "/v1/invitation", by: guest).status == 401)
      #expect(try await self.view(grant.code, at: hub).state == .revoked)
    }
  }

  @Test func operatorsInviteToTheirGroupsAlone() async throws {
    try await HubFixture.run { hub in
      let far = try await hub.addDevice("far", groups: ["elsewhere"])
      let admin = try await hub.addPerson("admin", role: .operator)
      let user = try await hub.addPerson("user")
      #expect(try await hub.send(.POST, "/v1/invitations", self.request(far, .video), by: admin).status == 404)
      #expect(try await hub.send(.POST, "/v1/invitations", self.request(far, .video), by: user).status == 403)
      let near = try await self.code(of: hub, device: far)
      #expect(try await self.view(near, at: hub).state == .open)
      let list = try await hub.send(.GET, "/v1/invitations", by: admin).decode(InvitationList.self)
      #expect(list.items.isEmpty)
      let id = try #require(try await hub.store.invitations().first?.id)
      #expect(try await hub.send(.DELETE, "/v1/invitations/\(id)", by: admin).status == 404)
      try await hub.eventually {
        let refused = try await self.audit(hub, by: admin).filter { $0.outcome == .refused }
        return Set(refused.map(\.kind)) == ["invitation-made", "invitation-revoked"]
          && refused.allSatisfy { $0.subject == nil && $0.actor.id == admin.id }
      }
    }
  }

  // MARK: Audit

  @Test func theAuditLogSaysWhoDidWhatInOnesGroups() async throws {
    try await HubFixture.run { hub in
      let admin = try await hub.addPerson("admin", role: .operator)
      let stranger = try await hub.addPerson("stranger", role: .operator, groups: ["elsewhere"])
      let door = try await hub.addDevice("door")
      let code = try await hub.send(.POST, "/v1/invitations", self.request(door, .video), by: admin)
        .decode(InvitationGrant.self).code
      _ = try await self.guest(code: code, of: hub)
      for _ in 0..<5 {
        let wrong = LoginRequest(userTitle: "admin", password: "wrong")
        #expect(try await hub.send(.POST, "/v1/login", wrong).status == 401)
      }
      try await hub.eventually { try await self.audit(hub, by: admin).contains { $0.kind == "login-failed" } }
      let entries = try await self.audit(hub, by: admin)
      #expect(entries.count { $0.kind == "login-failed" } == 1, "repetitions are summarised")
      for kind in ["login", "invitation-made", "invitation-used"] {
        #expect(entries.contains { $0.kind == kind }, "\(kind)")
      }
      #expect(!entries.contains { $0.actor.title == "stranger" })
      let others = try await self.audit(hub, by: stranger)
      #expect(others.map(\.kind) == ["login"] && others.allSatisfy { $0.actor.title == "stranger" })
      let text = try await hub.send(.GET, "/v1/audit", by: admin).text
      #expect(!text.contains(code) && !text.contains("wrong"))
    }
  }

  @Test func pagesOfTheAuditLogFollowEachOther() async throws {
    try await HubFixture.run { hub in
      let admin = try await hub.addPerson("admin", role: .administrator)
      for number in 0..<5 { _ = try await hub.addPerson("user \(number)") }
      try await hub.eventually { try await self.audit(hub, by: admin).count == 6 }
      let first = try await hub.send(.GET, "/v1/audit?limit=4", by: admin).decode(AuditPage.self)
      let before = try #require(first.next)
      let second = try await hub.send(.GET, "/v1/audit?limit=4&before=\(before)", by: admin).decode(AuditPage.self)
      #expect(Set((first.items + second.items).map(\.id)).count == 6)
      for query in ["limit=0", "limit=201", "limit=x", "kind=nothing"] {
        #expect(try await hub.send(.GET, "/v1/audit?\(query)", by: admin).status == 400, "\(query)")
      }
    }
  }

  // MARK: Parts

  private func audit(_ hub: HubFixture, by member: Member) async throws -> [AuditEntry] {
    try await hub.send(.GET, "/v1/audit?limit=200", by: member).decode(AuditPage.self).items
  }

  private func request(
    _ device: Member, _ media: GuestMedia, from: Int64? = nil, until: Int64? = nil
  ) -> InvitationRequest {
    InvitationRequest(
      name: "Parcel service", deviceID: device.id, group: nil, media: media, from: from,
      until: until ?? TokenAuthority.nowInMilliseconds + Self.day)
  }

  private func code(
    of hub: HubFixture, device: Member, media: GuestMedia = .video, from: Int64? = nil, until: Int64? = nil
  ) async throws -> String {
    try await Invitations(store: hub.store).make(
      request(device, media, from: from, until: until), by: .localAdministrator("root"),
      id: UUID().uuidString.lowercased(), now: TokenAuthority.nowInMilliseconds
    ).code.text
  }

  private func guest(of hub: HubFixture, device: Member, media: GuestMedia = .video) async throws -> Member {
    try await guest(code: try await code(of: hub, device: device, media: media), of: hub)
  }

  private func guest(code: String, of hub: HubFixture) async throws -> Member {
    let reply = try await redeem(InvitationRedemption(code: code, key: Self.makeKey()), at: hub)
    let login = try reply.decode(LoginResponse.self)
    #expect(login.role == "guest")
    return Member(id: login.userID, token: login.accessToken)
  }

  private func view(_ code: String, at hub: HubFixture) async throws -> InvitationView {
    try await hub.send(.POST, "/v1/invitations/check", InvitationCheck(code: code)).decode(InvitationView.self)
  }

  private func redeem(_ redemption: InvitationRedemption, at hub: HubFixture) async throws -> Reply {
    try await hub.send(.POST, "/v1/invitations/redeem", redemption)
  }

  private func call(
    _ receiverID: String, by member: Member, at hub: HubFixture, isVideo: Bool = false, offer: String = "v=0\r\n"
  ) async throws -> Reply {
    let request = SessionRequest(receiverID: receiverID, isAudio: true, isVideo: isVideo, offer: offer)
    return try await hub.send(.PUT, "/v1/sessions/\(UUID().uuidString.lowercased())", request, by: member)
  }

  private static func makeKey() -> String { Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) }) }

  private static func proof(of challenge: String, by key: String) -> String {
    let octets = Base64URL.decode(key.utf8) ?? []
    return Base64URL.encode(OpenSSLCrypto().hmacSHA256(key: octets, message: Array(challenge.utf8)))
  }
}
