internal import HubCore
internal import HubStore
internal import Signalling
internal import Testing

extension HubStoreConformance {
  func keepsInvitations() async throws {
    let store = try await makeStore()
    var invitation = makeInvitation("1")
    #expect(try await store.insertInvitation(invitation, now: 1_000, maximum: 3))
    #expect(try await store.invitation(id: "1") == invitation)
    #expect(try await store.invitation(code: invitation.code) == invitation)
    #expect(try await store.invitation(code: "other") == nil)
    let before = invitation
    invitation.use = InvitationRecord.Use(
      at: 2_000, key: "key", origin: LoginRecord.Origin(address: "192.0.2.1", client: "Firefox \"x\""))
    #expect(try await store.updateInvitation(invitation, replacing: before))
    #expect(try await !store.updateInvitation(before, replacing: before))
    #expect(try await store.invitations() == [invitation])
    #expect(try await !store.updateInvitation(makeInvitation("2"), replacing: makeInvitation("2")))
  }

  func givesAnInvitationToOneBrowser() async throws {
    let store = try await makeStore()
    #expect(try await store.insertInvitation(makeInvitation("1"), now: 1_000, maximum: 3))
    let keys = (0..<8).map { makeKey($0) }
    let winners = try await withThrowingTaskGroup(of: String?.self) { group in
      for key in keys {
        group.addTask {
          let origin = LoginRecord.Origin(address: "192.0.2.1", client: "test")
          return try await Invitations(store: store).take("1", key: key, from: origin, now: 2_000) == nil ? nil : key
        }
      }
      return try await group.reduce(into: [String]()) { if let key = $1 { $0.append(key) } }
    }
    #expect(winners.count == 1)
    #expect(try await store.invitation(id: "1")?.use?.key == winners.first)
  }

  func boundsInvitations() async throws {
    let store = try await makeStore()
    for number in 0..<3 {
      let invitation = makeInvitation("\(number)", until: Int64(10_000 + number))
      #expect(try await store.insertInvitation(invitation, now: 0, maximum: 3))
    }
    #expect(try await !store.insertInvitation(makeInvitation("more"), now: 9_000, maximum: 3))
    // One that has ended makes room, and its code is forgotten.
    #expect(try await store.insertInvitation(makeInvitation("more"), now: 10_000, maximum: 3))
    #expect(try await store.invitation(id: "0") == nil)
    #expect(try await store.invitation(code: makeInvitation("0").code) == nil)
    #expect(try await store.invitations().count == 3)
  }

  private func makeKey(_ number: UInt8) -> String {
    let digits = ["A", "B", "C", "D", "E", "F", "G", "H"]
    return String(repeating: digits[Int(number)], count: 42) + "A"
  }

  private func makeInvitation(_ id: String, until: Int64 = 20_000) -> InvitationRecord {
    InvitationRecord(
      id: id, code: "code of \(id)", name: "Parcel \"service\"", target: .device("door"), targetTitle: "Door",
      groups: ["default"], media: .watch, from: 1_000, until: until, createdAt: 1_000,
      maker: InvitationRecord.Maker(userID: nil, title: "local administrator root"))
  }
}
