internal import MediaCore
internal import NIOCore

/// Keeps one connection: opens it, waits for its end, pauses, and opens it again.
struct ReconnectLoop: Sendable {
  /// What the owner does about a connection, in order.
  struct Owner: Sendable {
    /// A connection is ready; it can still be refused.
    let opened: @Sendable (OpenConnection) async throws(RedisDisconnection) -> Void
    /// There is no connection; called for each failed attempt, too.
    let lost: @Sendable (RedisDisconnection) async -> Void
  }

  private static let shortestPause = TimeSpan.milliseconds(50)
  private static let longestPause = TimeSpan.seconds(3)
  /// A connection that lived this long resets the next pause to the shortest.
  private static let stableAfter = Duration.seconds(5)

  private let lookup: ServerLookup
  private let owner: Owner

  init(_ lookup: ServerLookup, _ owner: Owner) {
    self.lookup = lookup
    self.owner = owner
  }

  /// Runs until the task is cancelled, and closes the connection then.
  func run() async {
    var backoff = Backoff(initial: Self.shortestPause, maximum: Self.longestPause)
    while !Task.isCancelled {
      let (reason, lifetime) = await connectOnce()
      await owner.lost(reason)
      if lifetime >= Self.stableAfter { backoff.reset() }
      // With jitter, so that clients of one server do not come back at the same moment.
      let pause = max(Self.shortestPause, backoff.next(random: .random(in: 0.5...1)))
      try? await Task.sleep(for: Duration(pause))
    }
  }

  /// Returns why there is no connection (any more), and how long there was one.
  private func connectOnce() async -> (RedisDisconnection, Duration) {
    do throws(RedisDisconnection) {
      let connection = try await lookup.open()
      let openedAt = ContinuousClock.now
      let reason = await withTaskCancellationHandler {
        await serve(connection)
      } onCancel: {
        connection.close(.shutDown)
      }
      return (reason, openedAt.duration(to: .now))
    } catch {
      return (error, .zero)
    }
  }

  private func serve(_ connection: OpenConnection) async -> RedisDisconnection {
    do throws(RedisDisconnection) {
      try await owner.opened(connection)
    } catch {
      connection.close(error)
      return error
    }
    return await connection.end()
  }
}

extension OpenConnection {
  /// Waits for the end of the connection, and checks for a silent server meanwhile.
  func end() async -> RedisDisconnection {
    let ended = loop.flatSubmit {
      handler.value.watch()
      return handler.value.ended
    }
    return (try? await ended.get()) ?? .shutDown
  }
}
