internal import HubCore
internal import RedisClient

/// How the hub as a whole is, read from Redis in four rounds, none of which grows with users or calls.
struct SharedStatus: Sendable {
  let node: NodeContext
  let client: RedisClient

  func read() async -> BackplaneStatus {
    var status = BackplaneStatus()
    do {
      status.nodes = try await nodes()
      (status.liveSessions, status.overdueSessions) = try await sessions()
      status.redis = try await redis()
    } catch {
      status.problem = "Redis cannot be reached"
    }
    return status
  }

  private func nodes() async throws(HubRefusal) -> [BackplaneStatus.Node] {
    let members = try await node.link.run(RedisCommand("ZRANGE", [RedisKeys.nodes, "0", "-1", "WITHSCORES"])).texts
    let names = stride(from: 0, to: members.count - 1, by: 2).map { members[$0] }
    guard !names.isEmpty else { return [] }
    let figures = try await node.link.run(RedisCommand("HMGET", [RedisKeys.nodeFigures] + names))
    let now = node.clock.milliseconds(at: .now)
    return names.indices.map { index in
      let known: NodeFigures? = decode(figures[index])
      var status = BackplaneStatus.Node(
        name: names[index], silence: Int64(members[2 * index + 1]).map { max(0, now - $0) },
        eventStreams: known?.eventStreams, presentUsers: known?.presentUsers)
      if names[index] == node.identity.name { status.setPresentUserIDs(node.registry.userIDs) }
      return status
    }
  }

  private func sessions() async throws(HubRefusal) -> (live: Int, overdue: Int) {
    let now = node.clock.milliseconds(at: .now)
    let oldest = node.clock.milliseconds(at: .now - SessionStore.liveLifetime)
    let shards = 0..<RedisKeys.shardCount
    let replies = try await node.link.run(
      shards.map { RedisCommand("ZCOUNT", [RedisKeys.liveSessions(shard: $0), "\(oldest)", "+inf"]) }
        + shards.map { RedisCommand("ZCOUNT", [RedisKeys.dueSessions(shard: $0), "-inf", "\(now)"]) })
    let counts = replies.map { Int(clamping: $0.integer ?? 0) }
    return (counts.prefix(shards.count).reduce(0, +), counts.dropFirst(shards.count).reduce(0, +))
  }

  /// Of all servers that take writes.
  private func redis() async throws(HubRefusal) -> RedisStatus {
    let start = Instant.now
    let servers: [(server: String, replies: [RedisValue])]
    do {
      servers = try await client.broadcast(
        ["memory", "persistence"].map { RedisCommand("INFO", $0, keyPosition: nil) })
    } catch {
      throw RedisLink.unreachable
    }
    let roundTrip = start.duration(to: .now)
    var status = RedisStatus(
      roundTrip: roundTrip.components.seconds * 1_000_000 + roundTrip.components.attoseconds / 1_000_000_000_000)
    // An ACL user without INFO gets an error instead.
    let answers = servers.map { RedisInfo($0.replies.compactMap(\.text).joined(separator: "\n")) }
    status.usedMemory = sum(answers.map { $0["used_memory"] })
    status.maximumMemory = sum(answers.map { $0["maxmemory"] })
    status.evictionPolicy = answers.compactMap { $0["maxmemory_policy"] }.max { $1 == "noeviction" }
    let files = answers.compactMap { $0["aof_enabled"] }
    status.hasAppendOnlyFile = files.isEmpty ? nil : files.allSatisfy { $0 == "1" }
    let names = ["aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"]
    let writes = answers.flatMap { answer in names.compactMap { answer[$0] } }
    status.canWriteToDisk = writes.isEmpty ? nil : writes.allSatisfy { $0 == "ok" }
    return status
  }

  /// Nil where one has not answered.
  private func sum(_ texts: [String?]) -> Int64? {
    let numbers = texts.compactMap { $0.flatMap { Int64($0) } }
    return numbers.isEmpty || numbers.count < texts.count
      ? nil : numbers.reduce(0) { $0.addingReportingOverflow($1).partialValue }
  }
}

/// The answer to `INFO`: lines of `field:value`, and headings.
private struct RedisInfo {
  private var fields: [Substring: Substring] = [:]

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[line.index(after: colon)...]
    }
  }

  subscript(name: String) -> String? { fields[name[...]].map { String($0) } }
}
