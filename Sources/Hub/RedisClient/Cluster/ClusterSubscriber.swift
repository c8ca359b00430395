internal import SystemSupport

/// Listens at each master of a cluster for the channels whose slots it has.
final class ClusterSubscriber: SubscriptionService {
  typealias Address = RedisConnectionSettings.Address

  private struct Node {
    let subscriber: ServerSubscriber
    let task: Task<Void, Never>
    var isConnected = false
  }

  private struct Wish {
    var count: Int
    /// Where the channel is subscribed to; nil while there is no server.
    var place: Address?
  }

  private struct State {
    var wishes: [String: Wish] = [:]
    var nodes: [Address: Node] = [:]
    var handlers: (@Sendable (RedisConnectionEvent) -> Void, @Sendable (RedisMessage) -> Void)?
  }

  private let settings: RedisConnectionSettings
  private let kind: RedisSubscriber.Kind
  private let topology: ClusterTopology
  private let state = Mutex(State())

  init(_ seeds: [Address], _ settings: RedisConnectionSettings, _ kind: RedisSubscriber.Kind) {
    self.settings = settings
    self.kind = kind
    topology = ClusterTopology(seeds, settings)
  }

  func run(
    _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void,
    _ onMessage: @escaping @Sendable (RedisMessage) -> Void
  ) async {
    state.withLock { $0.handlers = (onEvent, onMessage) }
    await topology.run { answer in
      guard case .success(let map) = answer else { return false }
      await self.adopt(map, onEvent)
      return self.state.withLock { state in map.isComplete && state.nodes.values.allSatisfy(\.isConnected) }
    }
    let tasks = state.withLock { state in
      state.handlers = nil
      defer { state.nodes = [:] }
      return state.nodes.values.map(\.task)
    }
    await Self.end(tasks)
  }

  func subscribe(_ channels: [String]) async throws(RedisFailure) {
    var failure: RedisFailure?
    var isRefused = false
    var standing: [String] = []
    for (subscriber, part) in add(channels) {
      do throws(RedisFailure) {
        guard let subscriber else { throw .notConnected(.notYetConnected) }
        try await subscriber.subscribe(part)
        standing += part
      } catch  where error.hasMoved {
        failure = moveSoon(part, from: subscriber)
        standing += part
      } catch {
        failure = error
        if case .subscriptionRefused = error.cause { isRefused = true } else { standing += part }
      }
    }
    guard let failure else { return }
    if isRefused {
      unsubscribe(standing)
      for channel in Set(channels).subtracting(standing) { _ = release(channel) }
    }
    throw failure
  }

  func unsubscribe(_ channels: [String]) {
    for channel in channels { release(channel)?.unsubscribe([channel]) }
  }

  // MARK: Wishes

  /// Returns the server for each; nil for channels without one.
  private func add(_ channels: [String]) -> [(ServerSubscriber?, [String])] {
    let map = topology.current
    return state.withLock { state in
      var parts: [Address?: [String]] = [:]
      for channel in channels {
        var wish = state.wishes[channel] ?? Wish(count: 0, place: map[HashSlot.of(Array(channel.utf8))])
        wish.count += 1
        if wish.place.flatMap({ state.nodes[$0] }) == nil { wish.place = nil }
        state.wishes[channel] = wish
        parts[wish.place, default: []].append(channel)
      }
      return parts.map { ($0.key.flatMap { state.nodes[$0]?.subscriber }, $0.value) }
    }
  }

  /// Drops one subscription; returns the server to notify.
  private func release(_ channel: String) -> ServerSubscriber? {
    state.withLock { state in
      guard let wish = state.wishes[channel] else { return nil }
      state.wishes[channel] = wish.count > 1 ? Wish(count: wish.count - 1, place: wish.place) : nil
      return wish.place.flatMap { state.nodes[$0]?.subscriber }
    }
  }

  /// A server that no longer has the channels' slots refuses them: they are asked for elsewhere, soon.
  private func moveSoon(_ channels: [String], from subscriber: ServerSubscriber?) -> RedisFailure {
    subscriber?.forget(channels)
    state.withLock { state in
      for channel in channels { state.wishes[channel]?.place = nil }
    }
    topology.refresh()
    return .notConnected(.unreachable("the channel's slot has moved"))
  }

  // MARK: Servers

  /// Listens for each channel where its slot is now.
  private func adopt(_ map: SlotMap, _ onEvent: @Sendable (RedisConnectionEvent) -> Void) async {
    let (moves, gone) = state.withLock { state in
      for master in map.masters where state.nodes[master] == nil {
        state.nodes[master] = makeNode(master, state.handlers)
      }
      let moves = Self.move(&state, to: map)
      let gone = state.nodes.filter { !map.masters.contains($0.key) }
      for address in gone.keys { state.nodes[address] = nil }
      return (moves, gone.values.map(\.task))
    }
    var isMoved = false
    for (subscriber, channels) in moves {
      do throws(RedisFailure) {
        try await subscriber.subscribe(channels)
        isMoved = true
      } catch  where error.hasMoved {
        _ = moveSoon(channels, from: subscriber)
      } catch {
        // Where it is not connected yet, its connection subscribes.
      }
    }
    if isMoved { onEvent(.connected) }
    await Self.end(gone)
  }

  /// Assigns each channel its server; returns what to subscribe where.
  private static func move(_ state: inout State, to map: SlotMap) -> [(ServerSubscriber, [String])] {
    var parts: [Address: [String]] = [:]
    for (channel, wish) in state.wishes {
      guard let owner = map[HashSlot.of(Array(channel.utf8))], owner != wish.place else { continue }
      let repeated = Array(repeating: channel, count: wish.count)
      if let place = wish.place { state.nodes[place]?.subscriber.forget([channel]) }
      state.wishes[channel]?.place = owner
      parts[owner, default: []] += repeated
    }
    return parts.compactMap { address, channels in state.nodes[address].map { ($0.subscriber, channels) } }
  }

  private func makeNode(
    _ address: Address,
    _ handlers: (@Sendable (RedisConnectionEvent) -> Void, @Sendable (RedisMessage) -> Void)?
  ) -> Node? {
    guard let (onEvent, onMessage) = handlers else { return nil }
    var settings = settings
    settings.endpoint = .tcp(address)
    let subscriber = ServerSubscriber(settings, kind)
    let noteEvent: @Sendable (RedisConnectionEvent) -> Void = { [weak self] event in
      self?.note(event, of: address)
      onEvent(event)
    }
    let task = Task { await subscriber.run(noteEvent, onMessage) }
    return Node(subscriber: subscriber, task: task)
  }

  private func note(_ event: RedisConnectionEvent, of address: Address) {
    state.withLock { $0.nodes[address]?.isConnected = event == .connected }
    if event != .connected { topology.refresh() }
  }

  private static func end(_ tasks: [Task<Void, Never>]) async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}

extension RedisFailure {
  /// Whether a server of a cluster has refused a channel because another has its slot.
  fileprivate var hasMoved: Bool {
    guard case .subscriptionRefused(let code) = cause else { return false }
    return ["MOVED", "ASK", "CLUSTERDOWN"].contains(code)
  }
}
