import HubCore
import HubStore
import HubRedis
import RedisClient
import TestServers
import Signalling
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1)), .enabled(if: RedisTestServer.isInstalled))
struct PrincipalCacheTests {
  private let user = UserRecord(
    id: "1", title: "Door", role: .device, kind: .device, groups: ["default"], credential: .enrolmentKey("key"),
    createdAt: 0)

  private func claims(of userID: String) -> AccessClaims {
    AccessClaims(
      userID: userID, role: .device, issuedAt: 0, lifetime: 60, tokenID: "t",
      generation: AccessClaims.firstGeneration)
  }

  @Test func whoIsKnownStaysSoWhileTheStoreIsAway() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    let store = RedisStore(RedisConnectionSettings(.unixSocket(path: server.socketPath)))
    let running = Task { await store.run() }
    try await store.waitUntilReachable(for: .seconds(10))
    try await store.insert(user)
    let cache = PrincipalCache(store: store, allowsAnonymous: false, lifetime: .zero)
    #expect(try await cache.principal(for: claims(of: "1"))?.userTitle == "Door")
    server.kill()
    #expect(try await cache.principal(for: claims(of: "1"))?.userTitle == "Door")
    await #expect(throws: HubStoreError.self) { try await cache.principal(for: claims(of: "2")) }
    cache.forgetAll()
    await #expect(throws: HubStoreError.self) { try await cache.principal(for: claims(of: "1")) }
    running.cancel()
    await running.value
  }

  @Test func whatIsConfirmedIsNotReadAgain() async throws {
    let server = try RedisTestServer()
    defer { server.stop() }
    let store = RedisStore(RedisConnectionSettings(.unixSocket(path: server.socketPath)))
    let running = Task { await store.run() }
    try await store.waitUntilReachable(for: .seconds(10))
    try await store.insert(user)
    let cache = PrincipalCache(store: store, allowsAnonymous: false, lifetime: .milliseconds(50))
    _ = try await cache.principal(for: claims(of: "1"))
    try await store.removeUser(id: "1")
    try await Task.sleep(for: .milliseconds(60))
    cache.confirmAll()
    #expect(try await cache.principal(for: claims(of: "1")) != nil)
    try await Task.sleep(for: .milliseconds(60))
    #expect(try await cache.principal(for: claims(of: "1")) == nil)
    running.cancel()
    await running.value
  }
}
