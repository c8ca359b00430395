internal import HubCore
internal import Logging
internal import RedisClient

/// What keeps this node alive to the others, and clears away those that are not.
final class NodeLife: Sendable {
  private let node: NodeContext
  private let upkeep: Upkeep

  private var logger: Logger { node.link.logger }

  init(_ node: NodeContext, upkeep: Upkeep) {
    (self.node, self.upkeep) = (node, upkeep)
  }

  /// Says that this node lives, and learns whether Redis and the other nodes still know it; returns the streams that are
  /// lost if not.
  func beat() async throws(HubRefusal) -> Set<String> {
    let sentAt = Instant.now
    let isAnnounced = node.identity.isAnnounced
    let replies = try await node.link.run([
      RedisCommand("TIME", keyPosition: nil),
      RedisCommand("SET", [RedisKeys.epoch, String(UInt64.random(in: .min ... .max), radix: 36), "NX"]),
      RedisCommand("GET", [RedisKeys.epoch]),
      .call("beat", [RedisKeys.nodes], [node.identity.name, isAnnounced ? "0" : "1"]),
      RedisCommand("HSET", [RedisKeys.nodeFigures, node.identity.name, figures]),
    ])
    if let seconds = replies[0][0].integer, let microseconds = replies[0][1].integer {
      node.clock.observe(seconds * 1_000 + microseconds / 1_000, sentAt: sentAt, receivedAt: .now)
    }
    let isOther = replies[2].text.map { node.identity.note(epoch: $0) } ?? false
    if replies[3].integer == 1, !isOther {
      node.identity.noteBeat(now: sentAt)
      return []
    }
    logger.notice("this node was taken for dead, or Redis has lost what it knew: clients reopen their event streams")
    node.identity.renew()
    return node.registry.loseAll()
  }

  private var figures: String {
    encode(NodeFigures(eventStreams: node.registry.streamCount, presentUsers: node.registry.userCount))
  }

  /// Does what is due for all nodes.
  func sweepAll(now: Instant) async throws(HubRefusal) {
    try await upkeep.sweepSessions(now: now)
    try await upkeep.sweepUsers(now: now)
    // Where Redis itself was away, the others have been silent as well, and get the time to come back.
    guard node.identity.isSteady(now: now, for: Upkeep.silence) else { return }
    for name in try await upkeep.clearAwayDeadNodes() {
      logger.notice("a node of the hub is gone; its event streams are closed", metadata: ["node": "\(name)"])
    }
  }
}
