import Glibc

/// A Redis Cluster on loopback: masters that share the slots evenly, each with a replica or none.
public final class RedisTestCluster: Sendable {
  private static let slotCount = 16_384
  /// The masters, then the replicas in the same order.
  public let servers: [RedisTestServer]

  /// Starts the servers and waits until all know each other.
  public init(masters: Int = 3, hasReplicas: Bool = false) throws {
    let busPorts = (0..<(hasReplicas ? 2 : 1) * masters).map { _ in RedisTestServer.freePort() }
    servers = try busPorts.map { port in
      try RedisTestServer(arguments: [
        "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-port", "\(port)",
        "--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0",
      ])
    }
    for (index, server) in servers.enumerated() {
      try server.execute("CLUSTER SET-CONFIG-EPOCH \(index + 1)")
      if index >= masters { continue }
      let slots = Self.slotCount * index / masters...Self.slotCount * (index + 1) / masters - 1
      try server.execute("CLUSTER ADDSLOTSRANGE \(slots.lowerBound) \(slots.upperBound)")
    }
    for (server, busPort) in zip(servers, busPorts).dropFirst() {
      try servers[0].execute("CLUSTER MEET 127.0.0.1 \(server.port) \(busPort)")
    }
    try waitUntilWhole()
    for (replica, master) in zip(servers.dropFirst(masters), servers) {
      try replica.execute("CLUSTER REPLICATE \(try id(of: master))")
    }
    try Self.wait("the replicas to follow") {
      try servers.dropFirst(masters).allSatisfy { try $0.execute("INFO replication").contains("master_link_status:up") }
    }
  }

  /// Ends all servers.
  public func stop() { servers.forEach { $0.stop() } }

  public var ports: [Int] { servers.map(\.port) }

  private func waitUntilWhole() throws {
    try Self.wait("the cluster") {
      try servers.allSatisfy { server in
        let state = try server.execute("CLUSTER INFO")
        return state.contains("cluster_state:ok") && state.contains("cluster_known_nodes:\(servers.count)")
      }
    }
  }

  private static func wait(_ what: String, until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try !condition() {
      guard ContinuousClock.now < deadline else {
        throw RedisTestServer.Failure(description: "waited in vain for \(what)")
      }
      usleep(20_000)
    }
  }

  // MARK: Slots

  /// Which of the servers has a key's slot.
  public func owner(of key: String) throws -> RedisTestServer {
    let slot = try self.slot(of: key)
    for server in servers {
      let own = try server.execute("CLUSTER NODES").split(separator: "\n").first { $0.contains("myself") }
      let ranges = own?.split(separator: " ").dropFirst(8) ?? []
      for range in ranges where !range.hasPrefix("[") {
        let ends = range.split(separator: "-").compactMap { Int($0.filter(\.isNumber)) }
        if let first = ends.first, let last = ends.last, (first...last).contains(slot) { return server }
      }
    }
    throw RedisTestServer.Failure(description: "no node has slot \(slot)")
  }

  /// Begins to move a key's slot; the key stays where it is until ``finishMove(of:from:to:)``.
  public func beginMove(of key: String, from source: RedisTestServer, to target: RedisTestServer) throws {
    let slot = try self.slot(of: key)
    try target.execute("CLUSTER SETSLOT \(slot) IMPORTING \(try id(of: source))")
    try source.execute("CLUSTER SETSLOT \(slot) MIGRATING \(try id(of: target))")
  }

  /// Moves a key and its slot.
  public func finishMove(of key: String, from source: RedisTestServer, to target: RedisTestServer) throws {
    let slot = try self.slot(of: key)
    try source.execute("MIGRATE 127.0.0.1 \(target.port) \(key) 0 5000")
    for server in [target, source] { try server.execute("CLUSTER SETSLOT \(slot) NODE \(try id(of: target))") }
  }

  /// Which slot a server says that a key has.
  public func slot(of key: String) throws -> Int {
    let reply = try servers[0].execute("CLUSTER KEYSLOT \(key)")
    guard let slot = Int(reply.filter(\.isNumber)) else { throw RedisTestServer.Failure(description: reply) }
    return slot
  }

  private func id(of server: RedisTestServer) throws -> String {
    String(try server.execute("CLUSTER MYID").split(separator: "\r\n")[1])
  }
}
