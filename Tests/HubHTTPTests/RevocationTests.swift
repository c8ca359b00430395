import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// Credentials that end: by replacement, by removal, by the clock, by a setting.
@Suite(.timeLimit(.minutes(1)))
struct RevocationTests {
  @Test func aReplacedKeysTokensAndStreamsEndWithinSeconds() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("door")
      let bystander = try await hub.addDevice("gate")
      #expect(try await hub.send(.GET, "/v1/users", by: device).status == 200)
      try await hub.withEvents(of: device) { events in
        try await hub.withEvents(of: bystander) { others in
          let start = ContinuousClock.now
          let (_, key) = try await hub.accounts.enrolDevice(
            title: "door", groups: [], replacing: true, id: "unused", now: 0)
          await #expect(throws: FixtureError.self) { _ = try await events.next() }
          #expect(ContinuousClock.now - start < .seconds(8))
          #expect(try await hub.send(.GET, "/v1/users", by: device).status == 401)
          #expect(try await hub.send(.POST, "/v1/token", by: device).status == 401)
          #expect(try await hub.send(.GET, "/v1/users", by: bystander).status == 200)
          let fresh = try await hub.login(LoginRequest(userTitle: "door", enrolmentKey: key.text))
          #expect(fresh.id == device.id)
          #expect(try await hub.send(.GET, "/v1/users", by: fresh).status == 200)
          #expect(try await hub.metric("event_streams") == 1 && others.hello.isReset == false)
        }
      }
    }
  }

  @Test func anotherPasswordEndsWhatTheOldOneOpened() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let changed = try await hub.accounts.setPassword(
        title: "User", password: "another one", cost: HubFixture.cheap)
      #expect(changed?.id == user.id)
      try await hub.eventually { try await hub.send(.GET, "/v1/users", by: user).status == 401 }
      #expect(try await hub.send(.POST, "/v1/token", by: user).status == 401)
      let old = LoginRequest(userTitle: "user", password: HubFixture.password)
      #expect(try await hub.send(.POST, "/v1/login", old).status == 401)
      _ = try await hub.login(LoginRequest(userTitle: "user", password: "another one"))
      _ = try await hub.addDevice("door")
      let device = try await hub.accounts.setPassword(title: "door", password: "another one", cost: HubFixture.cheap)
      #expect(device == nil)
    }
  }

  @Test func aRemovedUsersStreamEndsAlsoWhileEventsArrive() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      try await hub.withEvents(of: user) { events in
        try await hub.store.removeUser(id: user.id)
        await #expect(throws: FixtureError.self) { _ = try await events.next() }
      }
    }
  }

  @Test func aStreamEndsWithItsTokenAndResumesUnderTheNextOne() async throws {
    var configuration = HubConfiguration()
    configuration.accessTokenLifetime = .seconds(4)
    try await HubFixture.run(configuration) { hub in
      let user = try await hub.addPerson("user")
      let device = try await hub.addDevice("door")
      let (helloID, renewed) = try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        let reply = try await hub.send(.POST, "/v1/token", by: device)
        #expect(reply.status == 200)
        await #expect(throws: FixtureError.self) { _ = try await events.next() }
        return (events.helloID, try reply.decode(LoginResponse.self))
      }
      #expect(renewed.userID == device.id && renewed.userTitle == "door" && renewed.accessToken != device.token)
      let caller = try await hub.renew(user)
      let id = UUID().uuidString.lowercased()
      let call = SessionRequest(receiverID: device.id, isAudio: true, isVideo: true, offer: "")
      #expect(try await hub.send(.PUT, "/v1/sessions/\(id)", call, by: caller).status == 201)
      let next = try await hub.renew(Member(id: device.id, token: renewed.accessToken))
      try await hub.withEvents(of: next, after: helloID) { events in
        #expect(!events.hello.isReset)
        let incoming = try await events.next(.callIncoming, as: IncomingCallEvent.self)
        #expect(incoming.sessionID.text == id)
      }
    }
  }

  @Test func aTokenThatRanOutIsGoodForARenewalAlone() async throws {
    var configuration = HubConfiguration()
    configuration.accessTokenLifetime = .zero
    try await HubFixture.run(configuration) { hub in
      let user = try await hub.addPerson("user")
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 401)
      let reply = try await hub.send(.POST, "/v1/token", by: user)
      #expect(reply.status == 200)
      #expect(try reply.decode(LoginResponse.self).userID == user.id)
      #expect(try await hub.send(.POST, "/v1/token").status == 401)
      #expect(try await hub.send(.POST, "/v1/token", by: Member(id: "", token: "x")).status == 401)
    }
  }

  @Test func renewalsEndWithTheLoginButNotInACall() async throws {
    var configuration = HubConfiguration()
    configuration.loginLifetime = .zero
    try await HubFixture.run(configuration) { hub in
      let user = try await hub.addPerson("user")
      let device = try await hub.addDevice("door")
      #expect(try await hub.send(.POST, "/v1/token", by: user).status == 401)
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        let call = SessionRequest(receiverID: device.id, isAudio: true, isVideo: true, offer: "")
        let path = "/v1/sessions/\(UUID().uuidString.lowercased())"
        #expect(try await hub.send(.PUT, path, call, by: user).status == 201)
        #expect(try await hub.send(.POST, "/v1/token", by: user).status == 200)
        #expect(try await hub.send(.DELETE, path, by: user).status == 204)
        #expect(try await hub.send(.POST, "/v1/token", by: user).status == 401)
      }
    }
  }

  @Test func aRenewedTokenKeepsTheTimeOfItsLogin() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let store = hub.store
      let tokens = try await TokenAuthority(store: store, accessTokenLifetime: .seconds(60))
      let first = try #require(await tokens.accessClaims(of: user.token))
      let renewed = try await hub.renew(user)
      let second = try #require(await tokens.accessClaims(of: renewed.token))
      #expect(renewed.token != user.token)
      #expect(second.loggedInAt == first.loggedInAt && second.gen == first.gen)
    }
  }

  @Test func renewalsAreLimited() async throws {
    var limits = HubLimits()
    limits.tokensPerMinute = 2
    try await HubFixture.run(limits: limits) { hub in
      let user = try await hub.addPerson("user")
      for _ in 0..<2 { _ = try await hub.renew(user) }
      #expect(try await hub.send(.POST, "/v1/token", by: user).status == 429)
    }
  }

  @Test func anonymousTokensEndWithTheSetting() async throws {
    try await HubFixture.run { hub in
      let claims = AccessClaims(
        userID: "anonymous-1", role: .anonymous, issuedAt: 0, lifetime: 60, tokenID: "t", title: "Guest", groups: ["g"])
      let allowing = PrincipalCache(store: hub.store, allowsAnonymous: true)
      let refusing = PrincipalCache(store: hub.store, allowsAnonymous: false)
      let guest = try await allowing.principal(for: claims)
      let nobody = try await refusing.principal(for: claims)
      #expect(guest?.userTitle == "Guest" && nobody == nil)
    }
  }
}
