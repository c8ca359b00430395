import Foundation
import HubCore
import HubHTTP
import HubStore
import NIOHTTP1
import Signalling
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AdmissionTests {
  private static func configuration(logins: Int = 500, streams: Int = 500) -> HubConfiguration {
    var configuration = HubConfiguration()
    (configuration.admission.logins, configuration.admission.streams) = (logins, streams)
    return configuration
  }

  @Test func whoComesWithManyIsToldWhenToComeAgain() async throws {
    try await HubFixture.run(Self.configuration(streams: 1)) { hub in
      let door = try await hub.addDevice("Door")
      try await hub.withEvents(of: door) { reader in
        #expect(reader.hello.heartbeatInterval == 240)
        let refused = try await hub.send(.GET, "/v1/events", by: door)
        #expect(refused.status == 503 && refused.problem == "overloaded")
        let wait = try #require(refused.headers.first(name: "Retry-After").flatMap { Int($0) })
        #expect((1...3).contains(wait))
        #expect(try await hub.metric("admission_refusals_total{arrival=\"stream\"}") == 1)
        #expect(try await hub.metric("admission_refusals_total{arrival=\"login\"}") == 0)
      }
    }
  }

  @Test func strangersUseUpNobodysPlace() async throws {
    try await HubFixture.run(Self.configuration(logins: 1, streams: 1)) { hub in
      let (_, key) = try await hub.accounts.enrolDevice(
        title: "Door", groups: [], replacing: false, id: UUID().uuidString, now: 0)
      for _ in 0..<20 {
        #expect(try await hub.send(.GET, "/v1/events").status == 401)
        let wrong = LoginRequest(userTitle: "Door", enrolmentKey: String(repeating: "a", count: key.text.count))
        #expect(try await hub.send(.POST, "/v1/login", wrong).status == 401)
      }
      let door = try await hub.login(LoginRequest(userTitle: "Door", enrolmentKey: key.text))
      let second = try await hub.send(.POST, "/v1/login", LoginRequest(userTitle: "Door", enrolmentKey: key.text))
      #expect(second.status == 503)
      try await hub.withEvents(of: door) { _ in }
    }
  }
}
