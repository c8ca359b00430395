import HubCore
import HubStore
import NIOHTTP1
import Signalling
import Testing

@testable import HubHTTP

/// Guessing at passwords, as those see it who guess and those who do not.
@Suite(.timeLimit(.minutes(1)))
struct LoginThrottlingTests {
  private let wrong = LoginRequest(userTitle: "demo", password: "wrong")
  private let right = LoginRequest(userTitle: "demo", password: HubFixture.password)

  private var limits: HubLimits {
    var limits = HubLimits()
    limits.loginFailuresPerAddress = 2
    limits.loginFailuresPerTitle = 4
    return limits
  }

  private func from(_ address: String) -> [(String, String)] { [("X-Forwarded-For", address)] }

  @Test func whoGuessesHasToWait() async throws {
    try await HubFixture.run(limits: limits) { hub in
      for _ in 0..<2 { #expect(try await hub.send(.POST, "/v1/login", wrong).status == 401) }
      let reply = try await hub.send(.POST, "/v1/login", wrong)
      #expect(reply.status == 429 && reply.problem == "rate-limited")
      #expect(reply.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 0 > 0)
    }
  }

  @Test func rightPasswordsAreNotCounted() async throws {
    try await HubFixture.run(limits: limits) { hub in
      _ = try await hub.addPerson("demo")
      for _ in 0..<20 { #expect(try await hub.send(.POST, "/v1/login", right).status == 200) }
    }
  }

  @Test func strangersBehindTheSameProxyLockNobodyOut() async throws {
    try await HubFixture.run(limits: limits) { hub in
      _ = try await hub.addPerson("demo")
      for _ in 0..<30 { _ = try await hub.send(.POST, "/v1/login", wrong, headers: from("192.0.2.1")) }
      #expect(try await hub.send(.POST, "/v1/login", right, headers: from("192.0.2.1")).status == 429)
      #expect(try await hub.send(.POST, "/v1/login", right, headers: from("192.0.2.2")).status == 200)
    }
  }

  @Test func aKnownClientGetsInWhileManyGuess() async throws {
    try await HubFixture.run(limits: limits) { hub in
      _ = try await hub.addPerson("demo")
      _ = try await hub.addPerson("other")
      let first = try await hub.send(.POST, "/v1/login", right).decode(LoginResponse.self)
      for number in 0..<30 {
        _ = try await hub.send(.POST, "/v1/login", wrong, headers: from("192.0.2.\(number)"))
      }
      #expect(try await hub.send(.POST, "/v1/login", right, headers: from("192.0.2.99")).status == 429)
      var known = right
      known.clientToken = first.clientToken
      let again = try await hub.send(.POST, "/v1/login", known, headers: from("192.0.2.1"))
      #expect(again.status == 200)
      #expect(try again.decode(LoginResponse.self).clientToken != nil)
      for token in [first.accessToken, "x", ""] {
        known.clientToken = token
        #expect(try await hub.send(.POST, "/v1/login", known, headers: from("192.0.2.99")).status == 429)
      }
    }
  }

  /// A client token is of one account and is no key to anything.
  @Test func aClientTokenDoesNothingElse() async throws {
    try await HubFixture.run(limits: limits) { hub in
      _ = try await hub.addPerson("demo")
      _ = try await hub.addPerson("other")
      let login = LoginRequest(userTitle: "other", password: HubFixture.password)
      let token = try #require(try await hub.send(.POST, "/v1/login", login).decode(LoginResponse.self).clientToken)
      #expect(try await hub.send(.GET, "/v1/users", by: Member(id: "", token: token)).status == 401)
      #expect(try await hub.send(.POST, "/v1/token", by: Member(id: "", token: token)).status == 401)
      for number in 0..<9 { _ = try await hub.send(.POST, "/v1/login", wrong, headers: from("192.0.2.\(number)")) }
      var borrowed = right
      borrowed.clientToken = token
      #expect(try await hub.send(.POST, "/v1/login", borrowed, headers: from("192.0.2.99")).status == 429)
    }
  }

  @Test func devicesLogInWhileSomebodyGuesses() async throws {
    try await HubFixture.run(limits: limits) { hub in
      let (_, key) = try await hub.accounts.enrolDevice(
        title: "door", groups: [], replacing: false, id: "door", now: 0)
      let guess = LoginRequest(userTitle: "door", password: "wrong")
      var statuses: Set<Int> = []
      for _ in 0..<30 { statuses.insert(try await hub.send(.POST, "/v1/login", guess).status) }
      #expect(statuses == [401, 429])
      for _ in 0..<25 {
        let member = try await hub.login(LoginRequest(userTitle: "door", enrolmentKey: key.text))
        #expect(member.id == "door")
      }
    }
  }

  /// The cost is less than usual, since the tests may have been built without optimisation.
  @Test func aBystanderDoesNotWaitForAHundredGuesses() async throws {
    let cost = PasswordHash.Cost(logRounds: 11, blockSize: 8, parallelism: 1)
    try await HubFixture.run(passwordCost: cost) { hub in
      _ = try await hub.accounts.add(
        NewPerson(title: "demo", password: HubFixture.password), cost: cost, id: "1", now: 0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<120 {
          group.addTask { _ = try await hub.send(.POST, "/v1/login", wrong, headers: from("192.0.2.1")) }
        }
        try await hub.eventually {
          try await hub.send(.POST, "/v1/login", wrong, headers: from("192.0.2.1")).status != 401
        }
        let start = ContinuousClock.now
        #expect(try await hub.send(.POST, "/v1/login", right, headers: from("192.0.2.2")).status == 200)
        #expect(ContinuousClock.now - start < .seconds(1))
        try await group.waitForAll()
      }
    }
  }

  @Test func tooManyAtOnceAreToldToComeAgain() async throws {
    var limits = HubLimits()
    limits.passwordQueueLength = 0
    limits.cleanPasswordQueueLength = 0
    try await HubFixture.run(limits: limits, passwordCost: .standard) { hub in
      let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
        for number in 0..<12 {
          group.addTask { try await hub.send(.POST, "/v1/login", wrong, headers: from("192.0.2.\(number)")) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let refused = try #require(replies.first { $0.status == 503 })
      #expect(refused.problem == "overloaded" && refused.headers.first(name: "Retry-After") == "2")
      #expect(replies.allSatisfy { $0.status == 401 || $0.status == 503 })
    }
  }
}
