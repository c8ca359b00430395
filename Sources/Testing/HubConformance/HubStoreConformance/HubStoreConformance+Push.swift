internal import FoundationEssentials
internal import HubCore
internal import HubStore
internal import Signalling
internal import Testing

extension HubStoreConformance {
  func keepsPushSubscriptions() async throws {
    let store = try await makeStoreWithLogins(["anna", "ben"])
    let (first, second) = (makeSubscription("1", "anna", at: 1), makeSubscription("2", "anna", at: 2))
    #expect(try await store.subscriptions(ofUser: "anna").isEmpty)
    #expect(try await store.subscriptionCount() == 0)
    for subscription in [second, first] { #expect(try await store.putSubscription(subscription)) }
    #expect(try await store.subscriptionCount() == 2)
    #expect(try await store.subscriptions(ofUser: "anna") == [first, second])
    // A browser has one user.
    let taken = makeSubscription("3", "ben", at: 3, endpoint: first.endpoint)
    #expect(try await store.putSubscription(taken))
    #expect(try await store.subscriptions(ofUser: "anna") == [second])
    #expect(try await store.subscriptions(ofUser: "ben") == [taken])
    #expect(try await !store.removeSubscription(id: "3", ofUser: "anna"))
    #expect(try await store.removeSubscription(id: "3", ofUser: "ben"))
    #expect(try await !store.removeSubscription(id: "3", ofUser: "ben"))
    #expect(try await store.subscriptionCount() == 1)
    #expect(try await store.putSubscription(first))
    #expect(try await store.subscriptions(ofUser: "anna") == [first, second])
  }

  func endsPushSubscriptionsWithTheirLogins() async throws {
    let store = try await makeStoreWithLogins(["anna", "ben", "eve"])
    #expect(try await !store.putSubscription(makeSubscription("1", "nobody", at: 1)))
    for user in ["anna", "ben", "eve"] {
      #expect(try await store.putSubscription(makeSubscription("of \(user)", user, at: 1)))
    }
    try await Logins(store: store).end("login of anna", of: "anna", at: now)
    #expect(try await store.subscriptions(ofUser: "anna").isEmpty)
    #expect(try await !store.putSubscription(makeSubscription("2", "anna", at: 2)))
    try await store.removeUser(id: "ben")
    #expect(try await store.subscriptions(ofUser: "ben").isEmpty)
    var login = try #require(try await store.login(id: "login of eve"))
    let before = login
    login.expiresAt = now - 1_000
    #expect(try await store.putLogin(login, replacing: before) == .done)
    while try await store.login(id: login.id) != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try await store.subscriptions(ofUser: "eve").isEmpty)
  }

  func boundsAUsersPushSubscriptions() async throws {
    let store = try await makeStoreWithLogins(["anna", "annab"])
    let most = PushSubscriptionRecord.maximumPerUser
    #expect(try await store.putSubscription(makeSubscription("other", "annab", at: 0)))
    for number in 0..<most + 2 {
      #expect(try await store.putSubscription(makeSubscription("\(number)", "anna", at: Int64(number))))
    }
    #expect(try await store.subscriptions(ofUser: "anna").map(\.id) == (2..<most + 2).map { "\($0)" })
    #expect(try await store.subscriptions(ofUser: "annab").map(\.id) == ["other"])
  }

  func onePushKeyIsTheFirst() async throws {
    let store = try await makeStore()
    #expect(try await store.pushKey() == nil)
    let kept = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for number: UInt8 in 0..<8 {
        group.addTask { try await store.insertFirstPushKey([UInt8](repeating: number, count: 32)) }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(kept.count == 1)
    #expect(try await store.pushKey() == kept.first)
  }

  private func makeStoreWithLogins(_ users: [String]) async throws -> any HubStore {
    let store = try await makeStore()
    for user in users {
      try await store.insert(
        UserRecord(
          id: user, title: user, role: .user, kind: .person, groups: ["default"], credential: .password("hash"),
          createdAt: 1))
      try await Logins(store: store).begin(
        LoginRecord(
          id: "login of \(user)", userID: user, startedAt: now, renewedAt: now, expiresAt: now + 3_600_000,
          origin: LoginRecord.Origin(address: "192.0.2.1", client: "test")))
    }
    return store
  }
}

private let now = Int64(Date().timeIntervalSince1970 * 1_000)

private func makeSubscription(
  _ id: String, _ userID: String, at time: Int64, endpoint: String? = nil
) -> PushSubscriptionRecord {
  PushSubscriptionRecord(
    id: id, userID: userID, loginID: "login of \(userID)", credentialGeneration: AccessClaims.firstGeneration,
    endpoint: endpoint ?? "https://push.example.org/\(id)?\"ö", publicKey: [4] + [UInt8](repeating: 7, count: 64),
    authentication: Array(0...15), language: id == "1" ? "de" : nil, client: "Firefox \"x\" \u{1F600}",
    createdAt: 1_800_000_000_000 + time)
}
