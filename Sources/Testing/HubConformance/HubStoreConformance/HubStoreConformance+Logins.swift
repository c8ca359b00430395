internal import FoundationEssentials
internal import HubStore
internal import Testing

extension HubStoreConformance {
  func keepsLogins() async throws {
    let store = try await makeStore()
    let (first, second) = (makeLogin("1", "anna"), makeLogin("2", "anna", client: "Firefox \"x\" \u{1F600}"))
    for login in [first, second, makeLogin("3", "ben")] {
      #expect(try await store.putLogin(login, replacing: nil) == .done)
    }
    #expect(try await store.login(id: "1") == first)
    #expect(try await store.login(id: "4") == nil)
    #expect(try await store.logins(ofUser: "anna").sorted { $0.id < $1.id } == [first, second])
    #expect(try await store.logins(ofUser: "nobody").isEmpty)
    #expect(try await store.putLogin(first, replacing: nil) == .changed)
    #expect(try await store.putLogin(second, replacing: first) == .changed)
  }

  func renewsALoginOnceAtATime() async throws {
    let store = try await makeStore()
    let (logins, login) = (Logins(store: store), makeLogin("1", "anna"))
    try await logins.begin(login)
    let outcomes = try await withThrowingTaskGroup(of: LoginRenewalOutcome.self) { group in
      for _ in 0..<6 {
        group.addTask { try await logins.renew(login, number: 0, now: now, expiresAt: login.expiresAt) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0 == .renewed(number: 1) })
    #expect(try await store.login(id: "1")?.number == 1)
    #expect(
      try await logins.renew(login, number: 1, now: now, expiresAt: login.expiresAt) == .renewed(number: 2))
    #expect(try await logins.renew(login, number: 0, now: now, expiresAt: login.expiresAt) == .reused)
  }

  func remembersWhatHasEnded() async throws {
    let store = try await makeStore()
    let (logins, login) = (Logins(store: store), makeLogin("1", "anna"))
    try await logins.begin(login)
    #expect(try await store.endedLogins(since: 0).isEmpty)
    #expect(try await logins.end("1", of: "anna", at: now))
    #expect(try await !logins.end("1", of: "anna", at: now))
    #expect(try await !logins.end("never put", of: "ben", at: now))
    let ended = try await store.endedLogins(since: 0)
    #expect(Set(ended.map(\.id)) == ["1", "never put"] && ended.count == 2)
    #expect(ended.allSatisfy { abs($0.endedAt - now) < 60_000 })
    #expect(try await store.endedLogins(since: now + 60_000).isEmpty)
    #expect(try await store.login(id: "1") == nil)
    #expect(try await store.logins(ofUser: "anna").isEmpty)
    #expect(try await logins.renew(login, number: 0, now: now, expiresAt: login.expiresAt) == .ended)
    #expect(try await store.putLogin(login, replacing: nil) == .ended)
  }

  func forgetsLoginsThatExpired() async throws {
    let store = try await makeStore()
    var login = makeLogin("1", "anna")
    login.expiresAt = now - 1_000
    #expect(try await store.putLogin(login, replacing: nil) == .done)
    while try await store.login(id: "1") != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await store.logins(ofUser: "anna").isEmpty)
    #expect(try await store.putLogin(makeLogin("1", "anna"), replacing: nil) == .done)
  }

  func boundsAUsersLogins() async throws {
    let store = try await makeStore()
    let logins = Logins(store: store)
    for number in 0..<Logins.maximumPerUser + 2 {
      var login = makeLogin("\(number)", "anna")
      login.renewedAt += Int64(number)
      try await logins.begin(login)
    }
    let left = Set(try await store.logins(ofUser: "anna").map(\.id))
    #expect(left.count == Logins.maximumPerUser && !left.contains("0") && !left.contains("1"))
    #expect(try await logins.endAll(of: "anna", but: "5", at: now).count == Logins.maximumPerUser - 1)
    #expect(try await store.logins(ofUser: "anna").map(\.id) == ["5"])
  }
}

private let now = Int64(Date().timeIntervalSince1970 * 1_000)

private func makeLogin(_ id: String, _ userID: String, client: String = "test") -> LoginRecord {
  LoginRecord(
    id: id, userID: userID, startedAt: now, renewedAt: now, expiresAt: now + 3_600_000,
    origin: LoginRecord.Origin(address: "192.0.2.1", client: client))
}
