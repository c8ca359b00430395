internal import Locking
internal import NIOCore
internal import NIOPosix

/// A connection to Redis that comes back by itself; commands of any task go out in the order of their calls and are not held
/// back for each other's replies.
public final class RedisClient: Sendable {
  /// What the owner is told, once each time it changes.
  public enum Change: Sendable, Equatable {
    case connected
    case lost(reason: String)
  }

  private struct State {
    var channel: (any Channel)?
    var outstanding = 0
  }

  /// Commands without reply; more are refused.
  private static let maximumOutstanding = 20_000
  private static let retryDelays: [Duration] = [.milliseconds(50), .milliseconds(200), .seconds(1), .seconds(3)]

  private let dialer: RedisDialer
  private let preparation: [RedisCommand]
  private let onChange: @Sendable (Change) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - preparation: sent at the beginning of each connection, which counts as none when one of them is refused.
  ///   - onChange: called by ``run()``.
  public init(
    _ settings: RedisSettings, preparation: [RedisCommand] = [], onChange: @escaping @Sendable (Change) -> Void
  ) {
    dialer = RedisDialer(settings: settings, group: MultiThreadedEventLoopGroup.singleton)
    self.preparation = preparation
    self.onChange = onChange
  }

  /// Keeps a connection until the task is cancelled.
  public func run() async {
    var failures = 0
    while !Task.isCancelled {
      do {
        let channel = try await open()
        failures = 0
        state.withLock { $0.channel = channel }
        onChange(.connected)
        await withTaskCancellationHandler {
          try? await channel.closeFuture.get()
        } onCancel: {
          channel.close(promise: nil)
        }
        state.withLock { $0.channel = nil }
        if !Task.isCancelled { onChange(.lost(reason: "the connection has ended")) }
      } catch {
        if failures == 0 { onChange(.lost(reason: "\(error)")) }
        failures += 1
      }
      let delay = Self.retryDelays[min(failures, Self.retryDelays.count - 1)]
      try? await Task.sleep(for: delay * Double.random(in: 0.5...1.5))
    }
  }

  /// Sends all in one go; returns a reply each, which may be an error.
  public func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisValue] {
    guard !commands.isEmpty else { return [] }
    let channel = try begin(commands.count)
    defer { state.withLock { $0.outstanding -= commands.count } }
    do {
      return try await channel.send(commands)
    } catch let failure as RedisFailure {
      throw failure
    } catch {
      throw .lost(reason: "\(error)")
    }
  }

  private func begin(_ count: Int) throws(RedisFailure) -> any Channel {
    try state.withLock { state throws(RedisFailure) in
      guard let channel = state.channel else { throw .notConnected }
      guard state.outstanding + count <= Self.maximumOutstanding else { throw .overloaded }
      state.outstanding += count
      return channel
    }
  }

  private func open() async throws -> any Channel {
    let limit = TimeAmount(dialer.settings.responseTimeout)
    let channel = try await dialer.dial { ReplyHandler(limit: limit) }
    do {
      for reply in try await channel.send(dialer.greeting + preparation) {
        if case .error(let words) = reply { throw RedisFailure.lost(reason: words) }
      }
      return channel
    } catch {
      channel.close(promise: nil)
      throw error
    }
  }
}
