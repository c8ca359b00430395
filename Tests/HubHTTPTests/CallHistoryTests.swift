import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// The call history over real HTTP.
@Suite(.timeLimit(.minutes(1))) struct CallHistoryTests {
  /// A device calls a person, and hangs up.
  private func miss(_ hub: HubFixture, from device: Member, to person: Member) async throws -> SessionID {
    let id = SessionID(UUID().uuidString.lowercased())!
    let request = SessionRequest(receiverID: person.id, isAudio: true, isVideo: true, offer: "v=0 offer")
    #expect(try await hub.send(.PUT, "/v1/sessions/\(id)", request, by: device).status == 201)
    #expect(try await hub.send(.DELETE, "/v1/sessions/\(id)", by: device).status == 204)
    return id
  }

  private func page(_ hub: HubFixture, _ member: Member, _ query: String = "") async throws -> CallPage {
    try await hub.send(.GET, "/v1/calls\(query)", by: member).decode(CallPage.self)
  }

  @Test func aMissedCallIsSeenOnceInAllPages() async throws {
    try await HubFixture.run { hub in
      let (person, device) = (try await hub.addPerson("Anna"), try await hub.addDevice("Door"))
      try await hub.withEvents(of: person) { first in
        try await hub.withEvents(of: person) { second in
          try await hub.publish(person, stream: first)
          let id = try await self.miss(hub, from: device, to: person)
          for stream in [first, second] {
            let event = try await stream.nextHistory()
            #expect(event.missed == 1 && event.call?.sessionID == id && event.call?.outcome == .cancelled)
          }
          let page = try await self.page(hub, person)
          #expect(page.missed == 1 && page.calls.map(\.sessionID) == [id] && page.next == nil)
          #expect(page.retention == 90 * 86_400)
          let call = try #require(page.calls.first)
          #expect(call.caller.userTitle == "Door" && call.receiver.userID == person.id && call.reason == "hangup")
          #expect(abs(call.endedAt - Int64(Date().timeIntervalSince1970 * 1_000)) < 60_000)
          #expect(try await hub.send(.PUT, "/v1/calls/seen", CallsSeen(until: call.endedAt), by: person).status == 204)
          for stream in [first, second] {
            let event = try await stream.nextHistory()
            #expect(event.missed == 0 && event.call == nil)
          }
          #expect(try await self.page(hub, person).missed == 0)
        }
      }
    }
  }

  @Test func aPersonSeesOwnCallsAlone() async throws {
    try await HubFixture.run { hub in
      let (anna, ben) = (try await hub.addPerson("Anna"), try await hub.addPerson("Ben"))
      let device = try await hub.addDevice("Door")
      try await hub.withEvents(of: anna) { events in
        try await hub.publish(anna, stream: events)
        _ = try await self.miss(hub, from: device, to: anna)
        _ = try await events.nextHistory()
        #expect(try await self.page(hub, ben).calls.isEmpty)
        #expect(try await self.page(hub, ben, "?userID=\(anna.id)").calls.isEmpty)
        #expect(try await self.page(hub, ben, "?userID=\(device.id)").calls.isEmpty)
        #expect(try await self.page(hub, anna, "?userID=\(device.id)").calls.count == 1)
        #expect(try await self.page(hub, anna, "?userID=\(ben.id)").calls.isEmpty)
        #expect(try await hub.send(.GET, "/v1/calls", by: device).status == 403)
      }
    }
  }

  @Test func anOperatorSeesDevicesOfOwnGroupsThenAndNow() async throws {
    try await HubFixture.run { hub in
      let yard = try await hub.addPerson("Yard", role: .operator, groups: ["yard"])
      let hall = try await hub.addPerson("Hall", role: .operator, groups: ["hall"])
      let anna = try await hub.addPerson("Anna", groups: ["yard", "hall"])
      let device = try await hub.addDevice("Door", groups: ["yard"])
      try await hub.withEvents(of: anna) { events in
        try await hub.publish(anna, stream: events)
        _ = try await self.miss(hub, from: device, to: anna)
        _ = try await events.nextHistory()
        #expect(try await self.page(hub, yard).calls.count == 1)
        #expect(try await self.page(hub, yard, "?userID=\(anna.id)").calls.count == 1)
        #expect(try await self.page(hub, yard).missed == 0)
        #expect(try await self.page(hub, hall).calls.isEmpty)
        var account = try #require(try await hub.store.user(id: device.id))
        account.groups = ["hall"]
        try await hub.store.update(account)
        try await hub.eventually { try await self.page(hub, yard).calls.isEmpty }
        #expect(try await self.page(hub, hall).calls.isEmpty)
        #expect(try await self.page(hub, anna).calls.count == 1)
        try await hub.store.removeUser(id: device.id)
        #expect(try await self.page(hub, yard).calls.isEmpty)
      }
    }
  }

  /// Whatever the groups; but no calls between people.
  @Test func anAdministratorSeesAllDevices() async throws {
    try await HubFixture.run { hub in
      let chief = try await hub.addPerson("Chief", role: .administrator, groups: ["office"])
      let (anna, ben) = (
        try await hub.addPerson("Anna", groups: ["yard"]), try await hub.addPerson("Ben", groups: ["yard"])
      )
      let device = try await hub.addDevice("Door", groups: ["yard"])
      try await hub.withEvents(of: anna) { events in
        try await hub.publish(anna, stream: events)
        let id = try await self.miss(hub, from: device, to: anna)
        _ = try await events.nextHistory()
        _ = try await self.miss(hub, from: ben, to: anna)
        _ = try await events.nextHistory()
        #expect(try await self.page(hub, chief).calls.map(\.sessionID) == [id])
        #expect(try await self.page(hub, chief, "?userID=\(anna.id)").calls.map(\.sessionID) == [id])
        var account = try #require(try await hub.store.user(id: chief.id))
        account.isAdministrator = false
        try await hub.store.update(account)
        #expect(try await self.page(hub, chief).calls.isEmpty)
      }
    }
  }

  @Test func recordingsAreForOperatorsAlone() async throws {
    try await HubFixture.run { hub in
      let (anna, room) = (try await hub.addPerson("Anna"), try await hub.addPerson("Room", role: .operator))
      let device = try await hub.addDevice("Door")
      try await hub.withEvents(of: anna) { events in
        try await hub.publish(anna, stream: events)
        let id = SessionID(UUID().uuidString.lowercased())!
        let path = "/v1/sessions/\(id)"
        let request = SessionRequest(receiverID: anna.id, isAudio: true, isVideo: true, offer: "v=0 offer")
        #expect(try await hub.send(.PUT, path, request, by: device).status == 201)
        #expect(try await hub.send(.POST, path + "/answer", SessionDescription(sdp: "answer"), by: anna).status == 204)
        let archive = ArchiveAnnouncement(sessionID: id, archiveID: "a-1", status: .started)
        #expect(try await hub.send(.POST, path + "/archive", archive, by: device).status == 204)
        #expect(try await hub.send(.DELETE, path, by: anna).status == 204)
        let event = try await events.nextHistory()
        #expect(event.missed == 0 && event.call?.isRecorded == true && event.call?.archiveID == nil)
        let own = try #require(try await self.page(hub, anna).calls.first)
        #expect(own.isRecorded && own.archiveID == nil && own.outcome == .answered && own.answeredAt != nil)
        #expect(try await self.page(hub, room).calls.map(\.archiveID) == ["a-1"])
      }
    }
  }

  @Test func aListComesInPages() async throws {
    try await HubFixture.run { hub in
      let (anna, device) = (try await hub.addPerson("Anna", role: .operator), try await hub.addDevice("Door"))
      try await hub.withEvents(of: anna) { events in
        try await hub.publish(anna, stream: events)
        var ids: Set<SessionID> = []
        for _ in 0..<3 {
          ids.insert(try await self.miss(hub, from: device, to: anna))
          _ = try await events.nextHistory()
        }
        let first = try await self.page(hub, anna, "?limit=2")
        let rest = try await self.page(hub, anna, "?limit=2&before=\(try #require(first.next))")
        #expect(first.calls.count == 2 && rest.calls.count == 1 && rest.next == nil)
        #expect(Set((first.calls + rest.calls).map(\.sessionID)) == ids)
        for query in ["?limit=0", "?limit=201", "?before=x", "?before=-1-a", "?before=1-"] {
          #expect(try await hub.send(.GET, "/v1/calls\(query)", by: anna).status == 400, "\(query)")
        }
        #expect(try await hub.send(.PUT, "/v1/calls/seen", CallsSeen(until: -1), by: anna).status == 400)
      }
    }
  }

  @Test func withoutRetentionNothingIsKept() async throws {
    var configuration = HubConfiguration()
    configuration.calls.retention = .zero
    try await HubFixture.run(configuration) { hub in
      let (anna, device) = (try await hub.addPerson("Anna"), try await hub.addDevice("Door"))
      try await hub.withEvents(of: anna) { events in
        try await hub.publish(anna, stream: events)
        _ = try await self.miss(hub, from: device, to: anna)
        try await Task.sleep(for: .milliseconds(200))
        let page = try await self.page(hub, anna)
        #expect(page.calls.isEmpty && page.missed == 0 && page.retention == 0)
      }
    }
  }
}
