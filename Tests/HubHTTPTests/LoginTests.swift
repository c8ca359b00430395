import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// Logins end, by wish or since a stolen token was used; honest repetitions end nothing.
@Suite(.timeLimit(.minutes(1)))
struct LoginTests {
  private static let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0")]
  private static let thief = [("User-Agent", "curl/8")]

  @Test func loggingOutEndsTokenStreamAndRenewal() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let elsewhere = try await hub.login(LoginRequest(userTitle: "user", password: HubFixture.password))
      try await hub.withEvents(of: user) { events in
        let reply = try await hub.send(.DELETE, "/v1/login", by: user)
        #expect(reply.status == 204)
        await #expect(throws: FixtureError.self) { _ = try await events.next() }
      }
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 401)
      #expect(try await hub.send(.POST, "/v1/token", by: user).status == 401)
      #expect(try await hub.send(.GET, "/v1/users", by: elsewhere).status == 200)
    }
  }

  @Test func anotherNodeRefusesTheTokenWithinSeconds() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      try await hub.withEvents(of: user) { events in
        let start = ContinuousClock.now
        // As another node does, or the command.
        let ended = try await Logins(store: hub.store).endAll(of: user.id, at: TokenAuthority.nowInMilliseconds)
        #expect(ended.count == 1)
        await #expect(throws: FixtureError.self) { _ = try await events.next() }
        #expect(ContinuousClock.now - start < .seconds(8))
      }
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 401)
    }
  }

  @Test func anOldTokenThatIsRenewedElsewhereEndsTheLogin() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let first = try await hub.renewed(user, Self.browser)
      let second = try await hub.renewed(first, Self.browser)
      #expect(try await hub.send(.GET, "/v1/users", by: second).status == 200)
      #expect(try await hub.send(.POST, "/v1/token", by: first, headers: Self.thief).status == 401)
      for token in [user, first, second] {
        #expect(try await hub.send(.GET, "/v1/users", by: token).status == 401)
        #expect(try await hub.send(.POST, "/v1/token", by: token, headers: Self.browser).status == 401)
      }
    }
  }

  /// The thief renews first: the owner's renewal shows that, and neither has anything then.
  @Test func aThiefWhoRenewsFirstKeepsNothing() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let stolen = try await hub.renewed(user, Self.thief)
      #expect(try await hub.send(.POST, "/v1/token", by: user, headers: Self.browser).status == 401)
      #expect(try await hub.send(.GET, "/v1/users", by: stolen).status == 401)
      #expect(try await hub.send(.POST, "/v1/token", by: stolen, headers: Self.thief).status == 401)
    }
  }

  @Test func anAnswerThatGotLostLocksNobodyOut() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      _ = try await hub.renewed(user, Self.browser)
      let again = try await hub.renewed(user, Self.browser)
      let next = try await hub.renewed(again, Self.browser)
      #expect(try await hub.send(.GET, "/v1/users", by: next).status == 200)
      #expect(try await hub.send(.POST, "/v1/token", by: user, headers: Self.browser).status == 401)
    }
  }

  @Test func twelveRenewalsOfOneTokenAreNotAllGood() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      var tokens: [Member] = []
      for _ in 0..<12 {
        let reply = try await hub.send(.POST, "/v1/token", by: user, headers: Self.browser)
        if reply.status == 200 {
          tokens.append(Member(id: user.id, token: try reply.decode(LoginResponse.self).accessToken))
        }
      }
      #expect(tokens.count <= Int(LoginRecord.maximumRepetitions) + 1)
      for token in tokens { #expect(try await hub.send(.GET, "/v1/users", by: token).status == 401) }
    }
  }

  @Test func devicesLogOutToo() async throws {
    try await HubFixture.run { hub in
      let device = try await hub.addDevice("door")
      let renewed = try await hub.renewed(device, Self.browser)
      #expect(try await hub.send(.DELETE, "/v1/login", by: renewed).status == 204)
      #expect(try await hub.send(.POST, "/v1/token", by: device, headers: Self.browser).status == 401)
      #expect(try await hub.send(.GET, "/v1/users", by: device).status == 401)
    }
  }

  @Test func peopleSeeTheirLoginsAndEndThem() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let other = try await hub.addPerson("other")
      let request = LoginRequest(userTitle: "user", password: HubFixture.password)
      let reply = try await hub.send(.POST, "/v1/login", request, headers: Self.browser)
      let second = Member(id: user.id, token: try reply.decode(LoginResponse.self).accessToken)
      let list = try await hub.send(.GET, "/v1/logins", by: second).decode(LoginList.self)
      #expect(list.items.count == 2 && list.items.filter(\.isCurrent).count == 1)
      let current = try #require(list.items.first { $0.isCurrent })
      #expect(current.client == Self.browser[0].1 && current.address == "127.0.0.1")
      #expect(try await hub.send(.DELETE, "/v1/logins/\(current.id)", by: other).status == 404)
      #expect(try await hub.send(.DELETE, "/v1/logins/nothing", by: second).status == 404)
      let first = try #require(list.items.first { !$0.isCurrent })
      #expect(try await hub.send(.DELETE, "/v1/logins/\(first.id)", by: second).status == 204)
      #expect(try await hub.send(.GET, "/v1/users", by: user).status == 401)
      let third = try await hub.login(request)
      #expect(try await hub.send(.DELETE, "/v1/logins", by: third).status == 204)
      #expect(try await hub.send(.GET, "/v1/users", by: second).status == 401)
      #expect(try await hub.send(.GET, "/v1/users", by: third).status == 200)
      #expect(try await hub.send(.GET, "/v1/users", by: other).status == 200)
    }
  }

  /// A token as earlier versions gave it: without a login's id.
  @Test func aTokenOfAnEarlierVersionBecomesALogin() async throws {
    let origin = LoginRecord.Origin(address: "192.0.2.1", client: "test")
    let claims = AccessClaims(userID: "u", role: .user, issuedAt: 1_000, lifetime: 100, tokenID: "t")
    #expect(claims.loginID == "u.1000" && claims.number == 0)
    let told = LoginRecord(id: claims.loginID, userID: "u", startedAt: 0, renewedAt: 0, expiresAt: .max, origin: origin)
    guard case .next(let next) = told.renewal(number: 0, from: origin, now: 1, expiresAt: .max) else {
      Issue.record("it is refused")
      return
    }
    #expect(next.number == 1)
  }

  @Test func commandsListAndEndLogins() async throws {
    try await HubFixture.run { hub in
      let user = try await hub.addPerson("user")
      let database = hub.database
      let listed = try hubProgram("list-logins", "--title", "User", "--json", "--database", database)
      let logins = try #require(try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]])
      #expect(logins.count == 1)
      let id = try #require(logins[0]["id"] as? String)
      #expect(try hubProgram("end-logins", "--title", "user", "--id", "-x", "--database", database).status == 1)
      #expect(try hubProgram("end-logins", "--title", "user", "--id", id, "--database", database).status == 0)
      try await hub.eventually { try await hub.send(.GET, "/v1/users", by: user).status == 401 }
      #expect(try hubProgram("list-logins", "--title", "user", "--database", database).output.isEmpty)
      #expect(try hubProgram("end-logins", "--title", "nobody", "--database", database).status == 1)
    }
  }
}

extension HubFixture {
  fileprivate func renewed(_ member: Member, _ headers: [(String, String)]) async throws -> Member {
    let reply = try await send(.POST, "/v1/token", by: member, headers: headers)
    guard reply.status == 200 else { throw FixtureError.unexpected(reply.status, reply.text) }
    return Member(id: member.id, token: try reply.decode(LoginResponse.self).accessToken)
  }
}
