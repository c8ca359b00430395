import Foundation
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1)))
struct AccountIDTests {
  private func ids(_ titles: [String], _ hub: HubFixture, by device: Member) async throws -> [TitledAccount] {
    let reply = try await hub.send(.POST, "/v1/account-ids", AccountIDsRequest(titles: titles), by: device)
    #expect(reply.status == 200, "\(reply.text)")
    return try reply.decode(AccountIDs.self).items
  }

  @Test func aDeviceFindsAccountsOfItsGroups() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("Gate", groups: ["house"])
      let olga = try await hub.addPerson("Olga", groups: ["house", "garden"])
      _ = try await hub.addPerson("Ben", groups: ["garden"])
      #expect(
        try await ids(["olga ", "Ben", "Nobody", "Olga"], hub, by: device) == [
          TitledAccount(title: "olga ", userID: olga.id, userTitle: "Olga"),
          TitledAccount(title: "Olga", userID: olga.id, userTitle: "Olga"),
        ])
    }
  }

  @Test func onlyDevicesWithAnAccountAsk() async throws {
    try await HubFixture.run { hub in
      let (person, device) = (try await hub.addPerson("Olga"), try await hub.addDevice("Gate"))
      let request = AccountIDsRequest(titles: ["Olga"])
      #expect(try await hub.send(.POST, "/v1/account-ids", request).status == 401)
      #expect(try await hub.send(.POST, "/v1/account-ids", request, by: person).status == 403)
      for titles in [[], [""], Array(repeating: "a", count: 33), [String(repeating: "a", count: 129)]] {
        let reply = try await hub.send(.POST, "/v1/account-ids", AccountIDsRequest(titles: titles), by: device)
        #expect(reply.status == 400 && reply.text.contains("titles"), "\(reply.text)")
      }
    }
  }

  @Test func askingIsLimited() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("Gate")
      var statuses: Set<Int> = []
      for _ in 0..<50 {
        statuses.insert(
          Int(try await hub.send(.POST, "/v1/account-ids", AccountIDsRequest(titles: ["Olga"]), by: device).status))
      }
      #expect(statuses == [200, 429])
    }
  }
}
