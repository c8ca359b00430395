internal import Logging
internal import RedisClient

/// Says once, at the start, what would make the hub lose what it has in Redis.
struct DurabilityCheck: Sendable {
  let client: RedisClient
  let logger: Logger

  /// Returns once Redis has answered.
  func run() async {
    while !Task.isCancelled {
      if let servers = try? await client.durability() { return servers.forEach(report) }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private func report(_ server: RedisDurability) {
    let place: Logger.Metadata = ["server": "\(server.server)"]
    switch server.isPersistent {
    case true?: break
    case false?:
      logger.warning(
        "Redis writes nothing to disk: when it ends, calls, events and accounts that lie there are lost; set appendonly yes",
        metadata: place)
    case nil:
      logger.notice(
        "whether Redis writes to disk cannot be checked: its user may not use INFO and CONFIG GET", metadata: place)
    }
    if let policy = server.evictionPolicy, policy != "noeviction" {
      logger.warning(
        "Redis removes keys at random when its memory is full, calls and accounts too; set maxmemory-policy noeviction",
        metadata: place.merging(["maxmemory-policy": "\(policy)"]) { $1 })
    }
  }
}
