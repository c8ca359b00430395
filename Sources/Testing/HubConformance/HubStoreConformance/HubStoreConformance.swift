public import HubStore
internal import HubCore
internal import Signalling
internal import Testing

/// What every ``HubStore/HubStore`` must do; a store's tests call ``run(_:)`` with a fresh empty store for each part.
public struct HubStoreConformance {
  let makeStore: () async throws -> any HubStore

  /// `makeStore` returns an empty store at each call.
  public init(makeStore: @escaping () async throws -> any HubStore) {
    self.makeStore = makeStore
  }

  public func run() async throws {
    try await keepsEverythingOfAUser()
    try await findsTitlesWithoutRegardToCase()
    try await refusesATakenTitle()
    try await updatesInPlace()
    try await countsCredentials()
    try await updatesWhatIsStillSo()
    try await notesWhenUsersWereSeen()
    try await leavesSomeoneInCharge()
    try await oneOfManyStaysInCharge()
    try await keepsWhatDevicesReport()
    try await findsDevicesByTheirKeys()
    try await countsChangesOfUsers()
    try await removes()
    try await listsByTitle()
    try await keepsSigningKeysInOrder()
    try await oneKeyIsTheFirst()
    try await survivesManyAtOnce()
    try await keepsLogins()
    try await renewsALoginOnceAtATime()
    try await remembersWhatHasEnded()
    try await forgetsLoginsThatExpired()
    try await boundsAUsersLogins()
    try await keepsPushSubscriptions()
    try await endsPushSubscriptionsWithTheirLogins()
    try await boundsAUsersPushSubscriptions()
    try await onePushKeyIsTheFirst()
    try await keepsTheAuditLogInOrder()
    try await boundsTheAuditLog()
    try await keepsInvitations()
    try await givesAnInvitationToOneBrowser()
    try await boundsInvitations()
    try await keepsCalls()
    try await listsCallsInPages()
    try await countsMissedCalls()
    try await forgetsOldCalls()
    try await forgetsCallsWithTheirUser()
    try await boundsAUsersCalls()
  }

  private func keepsEverythingOfAUser() async throws {
    let store = try await makeStore()
    let person = makeUser("1", "Änne \"O'Hara\"; DROP TABLE user", groups: ["b", "a"])
    var device = makeUser("2", "Door", role: .device, credential: .enrolmentKey("hash"))
    device.isDisabled = true
    var chief = makeUser("4", "Olga", role: .operator)
    chief.isAdministrator = true
    try await store.insert(chief)
    #expect(try await store.user(id: "4") == chief)
    try await store.insert(person)
    try await store.insert(device)
    #expect(try await store.user(id: "1") == person)
    #expect(try await store.user(id: "2") == device)
    #expect(try await store.user(id: "3") == nil)
    #expect(try await store.user(title: "nobody") == nil)
  }

  private func findsTitlesWithoutRegardToCase() async throws {
    let store = try await makeStore()
    let user = makeUser("1", "Straße Ökohaus")
    try await store.insert(user)
    #expect(try await store.user(title: "straße ÖKOHAUS") == user)
  }

  private func refusesATakenTitle() async throws {
    let store = try await makeStore()
    try await store.insert(makeUser("1", "Door"))
    await #expect(throws: HubStoreError.titleTaken) { try await store.insert(makeUser("2", "DOOR")) }
    try await store.insert(makeUser("2", "Gate"))
    await #expect(throws: HubStoreError.titleTaken) { try await store.update(makeUser("2", "door")) }
    #expect(try await store.user(id: "2")?.title == "Gate")
  }

  private func updatesInPlace() async throws {
    let store = try await makeStore()
    try await store.insert(makeUser("1", "Door"))
    let changed = makeUser("1", "door", role: .operator, groups: ["x"])
    try await store.update(changed)
    #expect(try await store.users() == [changed])
    await #expect(throws: HubStoreError.unknownUser) { try await store.update(makeUser("9", "Nine")) }
  }

  private func countsCredentials() async throws {
    let store = try await makeStore()
    var user = makeUser("1", "Door", credential: .enrolmentKey("first"))
    try await store.insert(user)
    user.title = "Gate"
    user.credentialGeneration = 7
    try await store.update(user)
    #expect(try await store.user(id: "1")?.credentialGeneration == AccessClaims.firstGeneration)
    for generation in AccessClaims.firstGeneration + 1...AccessClaims.firstGeneration + 2 {
      user.credential = .enrolmentKey("key \(generation)")
      try await store.update(user)
      #expect(try await store.user(id: "1")?.credentialGeneration == generation)
    }
    user.credential = .password("key \(AccessClaims.firstGeneration + 2)")
    try await store.update(user)
    #expect(try await store.user(id: "1")?.credentialGeneration == AccessClaims.firstGeneration + 3)
  }

  private func findsDevicesByTheirKeys() async throws {
    let store = try await makeStore()
    let door = makeUser("1", "Door", role: .device, credential: .enrolmentKey("hash"))
    try await store.insert(door)
    try await store.insert(makeUser("2", "demo", credential: .password("other hash")))
    #expect(try await store.user(enrolmentKey: "hash") == door)
    #expect(try await store.user(enrolmentKey: "other hash") == nil)
    #expect(try await store.user(enrolmentKey: "") == nil)
  }

  private func countsChangesOfUsers() async throws {
    let store = try await makeStore()
    var seen: Set<Int64> = [try await store.accountRevision()]
    func expectChange() async throws { #expect(seen.insert(try await store.accountRevision()).inserted) }
    try await store.insert(makeUser("1", "Door"))
    try await expectChange()
    try await store.update(makeUser("1", "Gate"))
    try await expectChange()
    try await store.removeUser(id: "1")
    try await expectChange()
    _ = try await store.users()
    #expect(seen.contains(try await store.accountRevision()))
  }

  private func removes() async throws {
    let store = try await makeStore()
    try await store.insert(makeUser("1", "Door"))
    #expect(try await store.removeUser(id: "1"))
    #expect(try await !store.removeUser(id: "1"))
    #expect(try await store.user(title: "Door") == nil)
    try await store.insert(makeUser("2", "Door"))
  }

  private func listsByTitle() async throws {
    let store = try await makeStore()
    for (id, title) in [("1", "b"), ("2", "A"), ("3", "c")] { try await store.insert(makeUser(id, title)) }
    #expect(try await store.users().map(\.title) == ["A", "b", "c"])
  }

  private func keepsSigningKeysInOrder() async throws {
    let store = try await makeStore()
    #expect(try await store.signingKeys().isEmpty)
    let newer = SigningKeyRecord(keyID: "a", privateKey: Array(0...31), createdAt: 2)
    let older = SigningKeyRecord(keyID: "b", privateKey: Array(repeating: 255, count: 32), createdAt: 1)
    try await store.insert(newer)
    try await store.insert(older)
    #expect(try await store.signingKeys() == [older, newer])
  }

  private func oneKeyIsTheFirst() async throws {
    let store = try await makeStore()
    let seen = try await withThrowingTaskGroup(of: [SigningKeyRecord].self) { group in
      for number in 0..<8 {
        let key = SigningKeyRecord(keyID: "\(number)", privateKey: Array(repeating: 1, count: 32), createdAt: 1)
        group.addTask { try await store.insertFirst(key) }
      }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1.map(\.keyID)) }
    }
    #expect(seen.count == 1)
    #expect(try await store.signingKeys().count == 1)
  }

  private func survivesManyAtOnce() async throws {
    let store = try await makeStore()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await store.insert(makeUser("\(number)", "user \(number)"))
          _ = try await store.users()
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.users().count == 50)
  }
}

func makeUser(
  _ id: String, _ title: String, role: UserRole = .user, groups: Set<String> = ["default"],
  credential: Credential = .password("hash")
) -> UserRecord {
  UserRecord(
    id: id, title: title, role: role, kind: role == .device ? .device : .person, groups: groups, credential: credential,
    createdAt: 1_700_000_000_000)
}
