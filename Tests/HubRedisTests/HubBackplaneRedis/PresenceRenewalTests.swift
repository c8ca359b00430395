import HubCore
import SystemSupport
import Logging
import RedisClient
import TestServers
import Signalling
import TestSupport
import Testing

@testable import HubRedis

/// Presence hangs on event streams: what Redis and a node know of them comes to agree again.
@Suite(.enabled(if: RedisTestServer.isInstalled), .timeLimit(.minutes(1)))
struct PresenceRenewalTests {
  private let bob = Principal(userID: "bob", userTitle: "Bob", role: .device, kind: .device, groups: ["g"])

  /// A client of Redis that is connected, and one that will be when it runs.
  private func withClients(_ body: (RedisClient, RedisConnectionSettings) async throws -> Void) async throws {
    let redis = try RedisTestServer()
    defer { redis.stop() }
    try redis.addDocumentedUser()
    var settings = RedisConnectionSettings.documentedUser(.unixSocket(path: redis.socketPath))
    settings.libraries = [FunctionLibrary.library]
    let client = RedisClient(settings)
    let running = Task { await client.run() }
    try await eventually { (try? await client.send([RedisCommand("PING", keyPosition: nil)])) != nil }
    try await body(client, settings)
    running.cancel()
    await running.value
  }

  private func context(_ client: RedisClient) -> NodeContext {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let link = RedisLink(logger: logger, send: client.send(stages:))
    return NodeContext(link: link, limits: HubLimits(), name: "n")
  }

  /// Registers a stream as a node does that opens one.
  private func open(_ streamID: String, on node: NodeContext) async throws {
    _ = node.registry.insert(streamID, of: bob)
    let keys = UserKeys(bob.userID)
    try await node.link.run(
      .call("open", [keys.clients, keys.user, keys.events, keys.sessions], [streamID, node.identity.name, "8"]))
    node.registry.noteOpened(streamID)
  }

  @Test func aStreamThatRedisHasLostIsFoundAndTheNodesSetIsRepaired() async throws {
    try await withClients { client, _ in
      let node = context(client)
      try await open("kept", on: node)
      try await open("lost", on: node)
      _ = node.registry.insert("about to open", of: bob)
      _ = try await client.send([RedisCommand("HDEL", [UserKeys("bob").clients, "lost"])])
      let renewal = PresenceRenewal(node, tick: PresenceRenewal.interval)
      #expect(try await renewal.renewPortion() == ["lost"])
      #expect(node.registry.takeReading("lost") == nil && node.registry.takeReading("kept") != nil)
      let set = try await node.link.run(
        RedisCommand("SRANDMEMBER", [RedisKeys.users(ofNode: node.identity.name), "9"]))
      #expect(set.texts.contains("bob kept"))
    }
  }

  @Test func eachStreamHasItsTurn() async throws {
    try await withClients { client, _ in
      let node = context(client)
      for number in 0..<8 { try await open("stream-\(number)", on: node) }
      let renewal = PresenceRenewal(node, tick: PresenceRenewal.interval / 3)
      _ = try await client.send([RedisCommand("DEL", [UserKeys("bob").clients])])
      var lost: Set<String> = []
      for _ in 0..<3 { lost.formUnion(try await renewal.renewPortion()) }
      #expect(lost.count == 8)
    }
  }

  @Test func aStreamIsClosedInRedisOnceThatIsThere() async throws {
    try await withClients { client, settings in
      try await open("s", on: context(client))
      let late = RedisClient(settings)
      let node = context(late)
      let closing = ClosingStreams(link: node.link, limits: node.limits) { _ throws(HubRefusal) in }
      let closer = Task { await closing.run() }
      closing.close(StreamName("s", of: "bob"), node: "n")
      try await Task.sleep(for: .milliseconds(50))
      let exists = RedisCommand("HEXISTS", [UserKeys("bob").clients, "s"])
      #expect(try await client.send([exists]) == [.integer(1)])
      let running = Task { await late.run() }
      try await eventually {
        closing.retry()
        return try await client.send([exists]) == [.integer(0)]
      }
      closer.cancel()
      await closer.value
      running.cancel()
      await running.value
    }
  }

  @Test func aHeartbeatForALostStreamHasItsNodeCloseIt() async throws {
    try await withClients { client, settings in
      let woken = Mutex<Set<String>>([])
      let node = RedisBackplane(
        settings, node: "a", address: "a:1", limits: HubLimits(),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { actions in woken.withLock { $0.formUnion(actions.wokenStreams) } }
      let running = Task { await node.run() }
      try await eventually {
        await node.tick()
        return node.isReady
      }
      let opening = try await node.openStream("s", for: bob, lastEventID: nil)
      #expect(try await node.readStream("s", of: "bob", after: opening.cursor) != nil)
      _ = try await client.send([RedisCommand("HDEL", [UserKeys("bob").clients, "s"])])
      woken.withLock { $0 = [] }
      let update = PresenceUpdate(kind: .device, isAudio: true, isVideo: true, eventStreamID: "s")
      await #expect(throws: HubRefusal.eventStreamGone) { try await node.updatePresence(of: bob, update) }
      try await eventually { woken.withLock { $0.contains("s") } }
      #expect(try await node.readStream("s", of: "bob", after: opening.cursor) == nil)
      running.cancel()
      await running.value
    }
  }

  @Test func operatorsAreToldHowTheHubIs() async throws {
    try await withClients { _, settings in
      let node = RedisBackplane(
        settings, node: "a", address: "a:1", limits: HubLimits(),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { _ in }
      #expect(await node.status.problem == "Redis cannot be reached")
      let running = Task { await node.run() }
      try await eventually {
        await node.tick()
        return node.isReady
      }
      _ = try await node.openStream("s", for: bob, lastEventID: nil)
      await node.tick()
      let status = await node.status
      #expect(status.nodes.count == 1 && status.nodes.first?.eventStreams == 1 && status.nodes.first?.presentUsers == 1)
      #expect(status.liveSessions == 0 && status.overdueSessions == 0 && status.problem == nil)
      let figures = try #require(status.redis)
      #expect(figures.roundTrip > 0 && figures.usedMemory ?? 0 > 100_000)
      #expect(figures.hasAppendOnlyFile == false && figures.evictionPolicy == "noeviction")
      let measured = try #require(node.redisFigures)
      #expect(measured.isConnected && measured.connections == 1 && measured.roundTrips.count > 0)
      running.cancel()
      await running.value
    }
  }
}
