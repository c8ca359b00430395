import HubConformance
import HubRedis
import HubCore
import Logging
import RedisClient
import TestServers
import Testing

@Suite(.enabled(if: RedisTestServer.isInstalled))
struct RedisBackplaneTests {
  @Test(.timeLimit(.minutes(2))) func conforms() async throws {
    let redis = try RedisTestServer()
    defer { redis.stop() }
    try redis.addDocumentedUser()
    try await expectConformance(.documentedUser(.unixSocket(path: redis.socketPath)))
  }

  @Test(.timeLimit(.minutes(2))) func conformsInACluster() async throws {
    let cluster = try RedisTestCluster()
    defer { cluster.stop() }
    for server in cluster.servers { try server.addDocumentedUser() }
    try await expectConformance(.documentedUser(.cluster(cluster.ports.map { .init(host: "127.0.0.1", port: $0) })))
  }

  private func expectConformance(_ settings: RedisConnectionSettings) async throws {
    let pushes = PushRecord()
    let nodes = ["a", "b", "c"].map { name in
      RedisBackplane(
        settings, node: name, address: "\(name):1", limits: BackplaneFleet.limits,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { pushes.take($0) }
    }
    let fleet = BackplaneFleet(nodes, pushes: pushes)
    do {
      try await fleet.waitUntilReady()
      try await HubBackplaneConformance(fleet).run()
    } catch {
      Issue.record(error)
    }
    await fleet.stop()
  }
}

extension RedisConnectionSettings {
  static func documentedUser(_ endpoint: Endpoint) -> RedisConnectionSettings {
    var settings = RedisConnectionSettings(endpoint)
    settings.credentials = Credentials(username: "livesessions", password: "a-long-password")
    return settings
  }
}
