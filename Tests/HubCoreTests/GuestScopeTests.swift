import Signalling
import Testing

@testable import HubCore

/// Whom a guest meets, and who meets a guest.
@Suite struct GuestScopeTests {
  private static let door = makeUser("door", role: .device, groups: ["default", "gates"])
  private static let gate = makeUser("gate", role: .device, groups: ["gates"])
  private static let person = makeUser("anna", role: .user, groups: ["default", "gates"])
  private static let admin = makeUser("admin", role: .operator, groups: ["default", "gates"])

  private static func makeUser(_ id: String, role: UserRole, groups: Set<String>) -> Principal {
    Principal(userID: id, userTitle: id, role: role, kind: role == .device ? .device : .person, groups: groups)
  }

  private static func makeGuest(_ target: GuestTarget, media: GuestMedia = .video) -> Principal {
    Principal(
      userID: "guest-1", userTitle: "Guest", role: .guest, kind: .person, groups: [],
      guest: GuestScope(target: target, media: media))
  }

  @Test func aGuestMeetsTheInvitedDevicesAlone() {
    let guest = Self.makeGuest(.device("door"))
    #expect(Self.door.sharesGroup(with: guest) && !Self.gate.sharesGroup(with: guest))
    let visitor = Self.makeGuest(.group("gates"))
    #expect(Self.door.sharesGroup(with: visitor) && Self.gate.sharesGroup(with: visitor))
    for guest in [guest, visitor, Self.makeGuest(.device("anna")), Self.makeGuest(.group("other"))] {
      #expect(!Self.person.sharesGroup(with: guest) && !Self.admin.sharesGroup(with: guest))
    }
  }

  @Test func nobodyMeetsAGuest() {
    let guest = Self.makeGuest(.group("gates"))
    for other in [Self.door, Self.person, Self.admin, guest] { #expect(!guest.sharesGroup(with: other)) }
  }

  @Test func whoIsAGuestByNameAloneMeetsNobody() {
    let nobody = Principal(
      userID: "guest-1", userTitle: "Guest", role: .guest, kind: .person, groups: ["default", "gates"])
    for other in [Self.door, Self.person] { #expect(!other.sharesGroup(with: nobody)) }
  }

  @Test func soundHasNoVideo() throws {
    let guest = try #require(Self.makeGuest(.device("door"), media: .audio).guest)
    #expect(throws: HubRefusal.self) { try guest.check(description: "v=0\nm=video 0 RTP/AVP 96\n") }
    #expect(throws: HubRefusal.self) {
      try guest.check(SessionRequest(receiverID: "door", isAudio: true, isVideo: true, offer: "v=0"))
    }
    try guest.check(SessionRequest(receiverID: "door", isAudio: true, isVideo: false, offer: "v=0\nm=audio 9"))
  }
}
