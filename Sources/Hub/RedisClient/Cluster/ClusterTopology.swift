internal import SystemSupport
internal import NIOCore
internal import NIOPosix

/// Knows which master of a cluster has which slots, and asks again when that may have changed.
final class ClusterTopology: Sendable {
  /// Between two questions.
  private static let shortestPause = Duration.milliseconds(200)
  /// While a server is away: a replica takes its place some time later.
  private static let unsettledPause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(15)

  private struct State {
    var map = SlotMap()
    /// Why the last question was not answered.
    var failure: RedisDisconnection?
  }

  private let settings: RedisConnectionSettings
  private let seeds: [RedisConnectionSettings.Address]
  private let loop: any EventLoop
  private let state = Mutex(State())
  private let wishes: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

  /// - Parameter seeds: servers that are asked first.
  init(_ seeds: [RedisConnectionSettings.Address], _ settings: RedisConnectionSettings) {
    self.seeds = seeds
    self.settings = settings
    loop = MultiThreadedEventLoopGroup.singleton.next()
    wishes = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    refresh()
  }

  var current: SlotMap { state.withLock { $0.map } }

  /// Why the owner of a slot is unknown.
  func ignorance(of slot: Int) -> RedisDisconnection {
    state.withLock { $0.failure } ?? .unreachable("no server of the cluster has slot \(slot)")
  }

  /// Has the servers asked again soon.
  func refresh() { wishes.continuation.yield() }

  /// A server has reported where a slot is; others may have moved, too.
  func note(_ master: RedisConnectionSettings.Address, has slot: Int) {
    state.withLock { $0.map.note(master, has: slot) }
    refresh()
  }

  /// Polls until the task is cancelled; `onAnswer` receives each answer and failure, one after the other, and returns
  /// whether all masters can be reached.
  func run(_ onAnswer: @escaping @Sendable (Result<SlotMap, RedisDisconnection>) async -> Bool) async {
    await withTaskGroup { group in
      group.addTask {
        while (try? await Task.sleep(for: Self.longestPause)) != nil { self.refresh() }
      }
      for await _ in wishes.stream {
        let isSettled = await onAnswer(await answer())
        try? await Task.sleep(for: isSettled ? Self.shortestPause : Self.unsettledPause)
        if !isSettled { refresh() }
      }
      group.cancelAll()
    }
  }

  private func answer() async -> Result<SlotMap, RedisDisconnection> {
    do throws(RedisDisconnection) {
      return .success(try await load())
    } catch {
      state.withLock { $0.failure = error }
      return .failure(error)
    }
  }

  private func load() async throws(RedisDisconnection) -> SlotMap {
    var failure = RedisDisconnection.notYetConnected
    // Also those that were named at first: all others may be gone.
    for address in Set(current.masters).union(seeds).shuffled() {
      do throws(RedisDisconnection) {
        let loaded = try await load(from: address)
        state.withLock { $0 = State(map: loaded) }
        return loaded
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func load(from address: RedisConnectionSettings.Address) async throws(RedisDisconnection) -> SlotMap {
    var settings = settings
    settings.endpoint = .tcp(address)
    let connection = try await ServerLookup(connector: Connector(loop, settings), needsMaster: false).open()
    defer { connection.close(.shutDown) }
    let reply: RedisValue
    do throws(RedisFailure) {
      reply = try await connection.send(RedisCommand("CLUSTER", "SLOTS", keyPosition: nil))
    } catch {
      throw error.disconnection
    }
    if let error = reply.error {
      throw error.code == "NOPERM"
        ? .noPermission(command: "CLUSTER SLOTS") : .refused(command: "CLUSTER SLOTS", code: error.code)
    }
    guard let map = SlotMap(reply, from: address) else { throw .malformedReply("CLUSTER SLOTS of \(address)") }
    guard !map.masters.isEmpty else {
      throw .unreachable("\(address): no server of the cluster has slots")
    }
    return map
  }
}
