import HubCore
import HubStore
import HubConformance
import HubRedis
import RedisClient
import TestServers
import Signalling
import Testing

@Suite("Accounts in Redis", .timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct RedisStoreTests {
  /// Runs stores of one server, as those of several nodes.
  private func withStores(_ count: Int = 1, _ body: ([RedisStore], RedisTestServer) async throws -> Void) async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    try server.addDocumentedUser()
    var settings = RedisConnectionSettings(.unixSocket(path: server.socketPath))
    settings.credentials = .init(username: "livesessions", password: "a-long-password")
    let stores = (0..<count).map { _ in RedisStore(settings) }
    try await withThrowingTaskGroup { group in
      for store in stores { group.addTask { await store.run() } }
      for store in stores { try await store.waitUntilReachable(for: .seconds(10)) }
      try await body(stores, server)
      group.cancelAll()
    }
  }

  @Test func conforms() async throws {
    try await withStores { stores, server in
      try await HubStoreConformance {
        try server.execute("FLUSHALL")
        return stores[0]
      }.run()
    }
  }

  @Test func conformsInACluster() async throws {
    let cluster = try RedisTestCluster()
    defer { cluster.stop() }
    let store = RedisStore(RedisConnectionSettings(.cluster([.init(host: "127.0.0.1", port: cluster.ports[2])])))
    let running = Task { await store.run() }
    try await store.waitUntilReachable(for: .seconds(10))
    try await HubStoreConformance {
      for server in cluster.servers { try server.execute("FLUSHALL") }
      return store
    }.run()
    running.cancel()
    await running.value
  }

  @Test func nodesSeeEachOthersChanges() async throws {
    try await withStores(2) { stores, _ in
      let accounts = Accounts(store: stores[0])
      let (record, key) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: false, id: "1", now: 0)
      #expect(try await stores[1].user(title: "door") == record)
      let revision = try await stores[1].accountRevision()
      let (_, next) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: true, id: "2", now: 0)
      #expect(try await stores[1].accountRevision() > revision)
      let authenticator = Authenticator(store: stores[1])
      #expect(try await authenticator.device(enrolmentKey: key.text) == nil)
      let device = try #require(try await authenticator.device(enrolmentKey: next.text))
      #expect(device.credentialGeneration == AccessClaims.firstGeneration + 1)
      #expect(try await accounts.rename("Door", to: "Gate")?.id == "1")
      #expect(try await stores[1].user(title: "Door") == nil)
      #expect(try await stores[1].removeUser(id: "1"))
      #expect(try await stores[0].users().isEmpty)
      #expect(try await authenticator.device(enrolmentKey: next.text) == nil)
    }
  }

  /// Of many who take one title at once, one gets it; changes of one account do not get lost.
  @Test func changesOfSeveralNodesAreOneAfterTheOther() async throws {
    try await withStores(2) { stores, _ in
      let taken = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<20 {
          group.addTask { (try? await stores[number % 2].insert(device("\(number)", "Door"))) != nil }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(taken == 1)
      let door = try #require(try await stores[0].user(title: "Door"))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<10 {
          group.addTask {
            try await stores[number % 2].update(device(door.id, "Door", credential: .enrolmentKey("key \(number)")))
          }
        }
        try await group.waitForAll()
      }
      let generation = try await stores[1].user(id: door.id)?.credentialGeneration
      #expect(generation == AccessClaims.firstGeneration + 10)
    }
  }

  @Test func manyAccountsAreListedInOrder() async throws {
    try await withStores { stores, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<600 { group.addTask { try await stores[0].insert(device("\(number)", "Door \(number)")) } }
        try await group.waitForAll()
      }
      let titles = try await stores[0].users().map { UserRecord.titleKey($0.title) }
      #expect(titles.count == 600 && titles == titles.sorted())
    }
  }

  @Test func accountsAreImportedOnce() async throws {
    try await withStores { source, _ in
      try await withStores { destination, _ in
        let accounts = Accounts(store: source[0])
        let (_, key) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: false, id: "1", now: 0)
        _ = try await accounts.enrolDevice(title: "Door", groups: [], replacing: true, id: "2", now: 0)
        try await source[0].insert(SigningKeyRecord(keyID: "k", privateKey: Array(0...31), createdAt: 1))
        let copying = AccountImport(from: source[0], to: destination[0])
        #expect(try await copying.run() == (1, 1))
        #expect(try await copying.run() == (0, 0))
        #expect(try await destination[0].users() == source[0].users())
        #expect(try await destination[0].signingKeys() == source[0].signingKeys())
        #expect(try await Authenticator(store: destination[0]).device(enrolmentKey: key.text) == nil)
        try await source[0].insert(device("3", "Gate"))
        try await destination[0].insert(device("4", "Gate"))
        await #expect(throws: HubStoreError.titleTaken) { try await copying.run() }
      }
    }
  }

  @Test func aServerThatIsAwayIsNamed() async throws {
    try await withStores { stores, server in
      server.kill()
      await #expect(throws: HubStoreError.self) { try await stores[0].users() }
      try server.start()
      try server.addDocumentedUser()
      try await stores[0].waitUntilReachable(for: .seconds(10))
    }
    let store = RedisStore(RedisConnectionSettings(.unixSocket(path: "/nonexistent")))
    let running = Task { await store.run() }
    await #expect(throws: HubStoreError.self) { try await store.waitUntilReachable(for: .milliseconds(200)) }
    running.cancel()
    await running.value
  }

  @Test func aRecordOfAnotherFormIsRefused() async throws {
    try await withStores { stores, server in
      try server.execute(#"HSET ls:{accounts} 1 "{\"format\":2}""#)
      await #expect(throws: (any Error).self) { try await stores[0].user(id: "1") }
    }
  }
}

private func device(_ id: String, _ title: String, credential: Credential = .enrolmentKey("none")) -> UserRecord {
  UserRecord(
    id: id, title: title, role: .device, kind: .device, groups: ["default"], credential: credential, createdAt: 5)
}
