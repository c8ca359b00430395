internal import SystemSupport

/// Commands to the masters of a cluster, each to the one that has its key's slot.
final class ClusterClient: CommandService {
  typealias Address = RedisConnectionSettings.Address

  private struct Node {
    let client: ServerClient
    let task: Task<Void, Never>
    var isConnected = false
  }

  private struct State {
    var nodes: [Address: Node] = [:]
    var hasEnded = false
    /// Whether the last event was `connected`; nil before the first.
    var isConnected: Bool?
  }

  /// Where a command of a batch goes.
  private struct Route {
    let index: Int
    let target: Address
    var isAsking = false
  }

  /// How often one command is retried.
  private static let redirections = 6
  private static let pause = Duration.milliseconds(50)
  private static let tooManyServers = RedisDisconnection.unreachable(
    "the cluster names more than \(SlotMap.maximumMasters) servers")

  private let settings: RedisConnectionSettings
  private let topology: ClusterTopology
  private let onEvent: @Sendable (RedisConnectionEvent) -> Void
  private let state = Mutex(State())

  init(
    _ seeds: [Address], _ settings: RedisConnectionSettings,
    _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void
  ) {
    self.settings = settings
    self.onEvent = onEvent
    topology = ClusterTopology(seeds, settings)
  }

  var hasSeveralServers: Bool { true }

  func run() async {
    await topology.run { answer in
      switch answer {
      case .success(let map): return await self.adopt(map)
      case .failure(let reason):
        self.report(isConnected: false, reason)
        return false
      }
    }
    let tasks = state.withLock { state in
      state.hasEnded = true
      defer { state.nodes = [:] }
      return state.nodes.values.map(\.task)
    }
    await Self.end(tasks)
  }

  // MARK: Commands

  func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisValue] {
    var replies = [RedisValue](repeating: .null, count: commands.count)
    var routes: [Route] = []
    for (index, command) in commands.enumerated() { routes.append(Route(index: index, target: try owner(of: command))) }
    var attempt = 0
    while !routes.isEmpty {
      var again: [Route] = []
      for (route, reply) in try await exchange(routes, commands, isLast: attempt == Self.redirections) {
        replies[route.index] = reply
        if attempt < Self.redirections, let next = follow(reply, route) { again.append(next) }
      }
      routes = again
      attempt += 1
    }
    return replies
  }

  func broadcast(_ commands: [RedisCommand]) async throws(RedisFailure) -> [(server: String, replies: [RedisValue])] {
    var answers: [(server: String, replies: [RedisValue])] = []
    for master in topology.current.masters {
      answers.append(("\(master)", try await client(of: master).send(commands)))
    }
    return answers
  }

  /// What has no key goes to the owner of the first slot, so that all ask the same server.
  private func owner(of command: RedisCommand) throws(RedisFailure) -> Address {
    let slot = command.slot ?? 0
    if let owner = topology.current[slot] { return owner }
    topology.refresh()
    throw .notConnected(topology.ignorance(of: slot))
  }

  /// Where to send a command again; nil when its reply is one.
  private func follow(_ reply: RedisValue, _ route: Route) -> Route? {
    guard let error = reply.error, let redirection = Redirection(error, from: route.target) else { return nil }
    switch redirection {
    case .moved(let slot, let address):
      topology.note(address, has: slot)
      return Route(index: route.index, target: address)
    case .ask(let address): return Route(index: route.index, target: address, isAsking: true)
    case .wait: return route
    }
  }

  /// Sends each server its part at the same time.
  private func exchange(
    _ routes: [Route], _ commands: [RedisCommand], isLast: Bool
  ) async throws(RedisFailure) -> [(Route, RedisValue)] {
    let parts = Dictionary(grouping: routes, by: \.target)
    if parts.count == 1 { return try await send(routes, commands, isLast: isLast) }
    let results = await withTaskGroup(of: Result<[(Route, RedisValue)], RedisFailure>.self) { group in
      for part in parts.values {
        group.addTask {
          do throws(RedisFailure) {
            return .success(try await self.send(part, commands, isLast: isLast))
          } catch {
            return .failure(error)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    return try Self.merge(results)
  }

  /// A batch of which a part has replies may have been carried out.
  private static func merge(
    _ results: [Result<[(Route, RedisValue)], RedisFailure>]
  ) throws(RedisFailure) -> [(Route, RedisValue)] {
    var replies: [(Route, RedisValue)] = []
    var failure: RedisFailure?
    for result in results {
      switch result {
      case .success(let some): replies += some
      case .failure(let error):
        let isKnown = failure?.mayHaveBeenCarriedOut == true
        failure = RedisFailure(cause: error.cause, mayHaveBeenCarriedOut: isKnown || error.mayHaveBeenCarriedOut)
      }
    }
    guard let failure else { return replies }
    throw RedisFailure(
      cause: failure.cause, mayHaveBeenCarriedOut: failure.mayHaveBeenCarriedOut || !replies.isEmpty)
  }

  /// Sends one server its part. A server that is new may not be connected yet.
  private func send(
    _ routes: [Route], _ commands: [RedisCommand], isLast: Bool
  ) async throws(RedisFailure) -> [(Route, RedisValue)] {
    let batch = routes.flatMap { route in
      route.isAsking ? [RedisCommand("ASKING", keyPosition: nil), commands[route.index]] : [commands[route.index]]
    }
    do throws(RedisFailure) {
      var replies = try await client(of: routes[0].target).send(batch)[...]
      let answers = routes.map { route in
        if route.isAsking { replies.removeFirst() }
        return (route, replies.removeFirst())
      }
      if answers.contains(where: { $0.1.error.flatMap { Redirection($0, from: routes[0].target) } == .wait }) {
        try? await Task.sleep(for: Self.pause)
      }
      return answers
    } catch {
      topology.refresh()
      guard !isLast, error.cause == .notConnected(.notYetConnected) else { throw error }
      try? await Task.sleep(for: Self.pause)
      return try await send(routes, commands, isLast: true)
    }
  }

  // MARK: Servers

  private func client(of address: Address) throws(RedisFailure) -> ServerClient {
    let client = state.withLock { state -> Result<ServerClient, RedisFailure> in
      if let node = state.nodes[address] { return .success(node.client) }
      if state.hasEnded { return .failure(.shutDown) }
      // Redirections may name any number of servers.
      guard state.nodes.count < SlotMap.maximumMasters else { return .failure(.notConnected(Self.tooManyServers)) }
      let node = makeNode(address)
      state.nodes[address] = node
      return .success(node.client)
    }
    return try client.get()
  }

  private func makeNode(_ address: Address) -> Node {
    var settings = settings
    settings.endpoint = .tcp(address)
    let client = ServerClient(settings) { [weak self] in self?.note($0, of: address) }
    return Node(client: client, task: Task { await client.run() })
  }

  /// Gets connections to all masters, and gives up those to servers that are none any longer; returns whether all are there.
  private func adopt(_ map: SlotMap) async -> Bool {
    for master in map.masters { _ = try? client(of: master) }
    let gone = state.withLock { state in
      let gone = state.nodes.filter { !map.masters.contains($0.key) }
      for address in gone.keys { state.nodes[address] = nil }
      return gone.values.map(\.task)
    }
    await Self.end(gone)
    return reportConnections(.unreachable("not all servers of the cluster can be reached"))
  }

  private func note(_ event: RedisConnectionEvent, of address: Address) {
    state.withLock { $0.nodes[address]?.isConnected = event == .connected }
    guard case .lost(let reason) = event else {
      _ = reportConnections(.notYetConnected)
      return
    }
    topology.refresh()
    _ = reportConnections(.unreachable("\(address): \(reason)"))
  }

  /// Returns whether each slot's master can be reached.
  private func reportConnections(_ reason: RedisDisconnection) -> Bool {
    let map = topology.current
    let isConnected = state.withLock { state in map.masters.allSatisfy { state.nodes[$0]?.isConnected == true } }
    if isConnected, map.isComplete {
      report(isConnected: true, reason)
      return true
    }
    if reason != .notYetConnected { report(isConnected: false, reason) }
    return false
  }

  private func report(isConnected: Bool, _ reason: RedisDisconnection) {
    let isNew = state.withLock { state in
      guard !state.hasEnded, state.isConnected != isConnected else { return false }
      // While servers are being reached for the first time nothing is lost.
      if state.isConnected == nil, !isConnected, !state.nodes.isEmpty { return false }
      state.isConnected = isConnected
      return true
    }
    if isNew { onEvent(isConnected ? .connected : .lost(reason)) }
  }

  private static func end(_ tasks: [Task<Void, Never>]) async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
