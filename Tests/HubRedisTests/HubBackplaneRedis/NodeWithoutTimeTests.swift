import HubRedis
import HubCore
import Logging
import RedisClient
import TestServers
import Signalling
import TestSupport
import Testing

@Suite(.enabled(if: RedisTestServer.isInstalled))
struct NodeWithoutTimeTests {
  /// A call that a node placed before it knew Redis's time would seem to others to have rung since 1970.
  @Test(.timeLimit(.minutes(1))) func takesNoCalls() async throws {
    let redis = try RedisTestServer()
    defer { redis.stop() }
    let node = RedisBackplane(
      RedisConnectionSettings(.unixSocket(path: redis.socketPath)), node: "node", address: "node:1",
      limits: HubLimits(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { _ in }
    let running = Task { await node.run() }
    defer { running.cancel() }
    try await eventually { (try? await node.isInSession("somebody")) != nil }
    #expect(await isTurnedAway(by: node))
    await node.tick()
    #expect(await !isTurnedAway(by: node))
  }

  /// Whether the caller is asked to wait, rather than told that the receiver is offline.
  private func isTurnedAway(by node: RedisBackplane) async -> Bool {
    let caller = Principal(userID: "caller", userTitle: "Caller", role: .user, kind: .person, groups: ["group"])
    let request = SessionRequest(receiverID: "receiver", isAudio: true, isVideo: true, offer: "offer")
    do throws(HubRefusal) {
      _ = try await node.prepareCall("session", from: caller, request)
      return false
    } catch {
      if case .overloaded = error { return true }
      return false
    }
  }
}
