internal import HubCore
internal import SystemSupport
internal import RedisClient

/// Compares the streams of this node with what Redis has of them, some each second and all within ``interval``.
///
/// A user is online because a stream is open, and a node's sign of life keeps all its streams. So nothing has to be renewed
/// for each user; but a failover of Redis may lose the last second, and a node may die between the steps of a change.
/// This finds streams that Redis has lost, whose clients then open others, and repairs the node's set of streams and the
/// groups' indices.
final class PresenceRenewal: Sendable {
  static let interval: Duration = .seconds(600)

  private let node: NodeContext
  private let turn = Mutex(0)
  private let turns: Int

  /// - Parameter tick: the time between two calls of ``renewPortion()``.
  init(_ node: NodeContext, tick: Duration = .seconds(1)) {
    self.node = node
    turns = Int(Self.interval / tick)
  }

  /// Renews the next portion in two rounds of pipelined commands; returns the streams that are lost.
  func renewPortion() async throws(HubRefusal) -> Set<String> {
    let turn = turn.withLock { turn in
      turn = (turn + 1) % turns
      return turn
    }
    let portion = node.registry.portion(turn, of: turns)
    guard !portion.isEmpty else { return [] }
    let byUser = Dictionary(grouping: portion) { $0.principal.userID }
    var commands = byUser.map { Self.renewal(of: $1.map(\.streamID), userID: $0) }
    let names = portion.map { StreamName($0.streamID, of: $0.principal.userID).text }
    commands.append(RedisCommand("SADD", [RedisKeys.users(ofNode: node.identity.name)] + names))
    let replies = try await node.link.run(commands).dropLast()
    let shown = replies.compactMap { StoredPresence($0[1]) }.filter(\.isShown)
    try await node.link.run(shown.flatMap { GroupIndex.insertion($0.principal, at: $0.location) })
    return node.registry.lose(Set(replies.flatMap { $0[0].texts }))
  }

  private static func renewal(of streams: [String], userID: String) -> RedisCommand {
    let keys = UserKeys(userID)
    return .call("renew", [keys.clients, keys.user], streams)
  }
}
