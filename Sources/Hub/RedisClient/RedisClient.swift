/// Commands to one Redis server, to the master that sentinels name, or to the servers of a cluster, over a few connections
/// to each.
///
/// May be used from any task. Commands that tasks send in the same tick of the event loop leave in one flush; each waits
/// for its own reply. There is no order between commands of different calls that wait at the same time. Nothing waits
/// without bound: a command fails at once while there is no connection or too many are outstanding, and after
/// ``RedisConnectionSettings/responseTimeout`` otherwise. A task that is cancelled still waits for its reply.
public final class RedisClient: Sendable {
  private let service: any CommandService
  private let libraries: [RedisFunctionLibrary]

  /// - Parameter onEvent: called on an event loop; must not block.
  public init(
    _ settings: RedisConnectionSettings, onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void = { _ in }
  ) {
    libraries = settings.libraries
    if case .cluster(let addresses) = settings.endpoint {
      service = ClusterClient(addresses, settings, onEvent)
    } else {
      service = ServerClient(settings, onEvent)
    }
  }

  /// Keeps connections until the task is cancelled; then fails what waits and closes them. To be called once.
  public func run() async { await service.run() }

  /// Sends a command and waits for its reply, which may be the server's error.
  public func send(_ command: RedisCommand) async throws(RedisFailure) -> RedisValue { try await send([command])[0] }

  /// Sends commands in one flush over one connection and waits for all replies, in the order of the commands.
  ///
  /// The server may execute commands of others in between, unless they are enclosed in `MULTI` and `EXEC`. In a cluster
  /// each server gets its part, at the same time as the others. Functions that a server has lost are loaded again, and
  /// called once more after the other commands.
  public func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisValue] {
    var replies = try await service.send(commands)
    let missed = replies.indices.filter { replies[$0].error?.isMissingFunction == true }
    guard !missed.isEmpty, !libraries.isEmpty else { return replies }
    // Where they cannot be loaded, the second call says so.
    _ = try await service.broadcast(libraries.map { .load($0) })
    for (index, reply) in zip(missed, try await service.send(missed.map { commands[$0] })) { replies[index] = reply }
    return replies
  }

  /// Sends commands in stages: in a cluster a stage waits until the one before has succeeded, and is not sent where that
  /// has an error. One server gets all in one go.
  ///
  /// Returns the replies of the stages that were sent, one after the other.
  public func send(stages: [[RedisCommand]]) async throws(RedisFailure) -> [RedisValue] {
    guard service.hasSeveralServers else { return try await send(stages.flatMap(\.self)) }
    var replies: [RedisValue] = []
    for stage in stages {
      do throws(RedisFailure) {
        replies += try await send(stage)
      } catch {
        throw RedisFailure(
          cause: error.cause, mayHaveBeenCarriedOut: error.mayHaveBeenCarriedOut || !replies.isEmpty)
      }
      if replies.contains(where: { $0.error != nil }) { break }
    }
    return replies
  }

  /// Sends commands without keys to each server that takes writes: the one, or all masters of a cluster.
  public func broadcast(
    _ commands: [RedisCommand]
  ) async throws(RedisFailure) -> [(server: String, replies: [RedisValue])] {
    try await service.broadcast(commands)
  }
}

extension RedisError {
  fileprivate var isMissingFunction: Bool { message.hasPrefix("ERR Function not found") }
}
