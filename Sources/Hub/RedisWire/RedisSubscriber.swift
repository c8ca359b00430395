internal import Locking
internal import NIOCore
internal import NIOPosix

/// Hears what is published on a changing set of sharded channels (`SPUBLISH`), over a connection of its own that comes back
/// by itself.
public final class RedisSubscriber: Sendable {
  /// What arrives, in order, on the connection's event loop.
  public enum Event: Sendable, Equatable {
    case message(String, channel: String)
    /// Messages before this one may have been missed.
    case gap
  }

  private struct State {
    /// How many want each channel, so that one who comes as another leaves keeps it.
    var channels: [String: Int] = [:]
    var connection: (any Channel)?
    /// Who waits for a subscription to be confirmed, by channel.
    var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    var onEvent: (@Sendable (Event) -> Void)?

    /// Whether nobody wants the channel any longer.
    mutating func release(_ channel: String) -> Bool {
      guard let count = channels[channel] else { return false }
      channels[channel] = count > 1 ? count - 1 : nil
      return count <= 1
    }
  }

  private static let portion = 256
  private let dialer: RedisDialer
  private let state = Mutex(State())

  public init(_ settings: RedisSettings) {
    dialer = RedisDialer(settings: settings, group: MultiThreadedEventLoopGroup.singleton)
  }

  /// Keeps a connection until the task is cancelled.
  public func run(_ onEvent: @escaping @Sendable (Event) -> Void) async {
    state.withLock { $0.onEvent = onEvent }
    while !Task.isCancelled {
      if let channel = try? await open() {
        await withTaskCancellationHandler {
          try? await channel.closeFuture.get()
        } onCancel: {
          channel.close(promise: nil)
        }
      }
      releaseWaiters()
      try? await Task.sleep(for: .milliseconds(Int.random(in: 100...1_000)))
    }
  }

  /// Returns when Redis has confirmed, or when there is no connection: then a ``Event/gap`` follows with the next one.
  public func subscribe(to channels: [String]) async {
    for channel in channels { await subscribe(to: channel) }
  }

  /// Takes one wish for each channel back; never waits.
  public func unsubscribe(from channels: [String]) {
    state.withLock { state in
      let unwanted = channels.filter { state.release($0) }
      guard !unwanted.isEmpty else { return }
      // Under the lock, so that Redis hears of wishes in their order.
      state.connection?.writeAndFlush(RedisCommand("SUNSUBSCRIBE", unwanted).bytes, promise: nil)
    }
  }

  private func subscribe(to channel: String) async {
    await withCheckedContinuation { continuation in
      let isConnected = state.withLock { state in
        state.channels[channel, default: 0] += 1
        guard let connection = state.connection else { return false }
        state.waiters[channel, default: []].append(continuation)
        connection.writeAndFlush(RedisCommand("SSUBSCRIBE", [channel]).bytes, promise: nil)
        return true
      }
      if !isConnected { continuation.resume() }
    }
  }

  private func open() async throws -> any Channel {
    let channel = try await dialer.dial { [self] in SubscriptionHandler { [weak self] in self?.receive($0) } }
    for command in dialer.greeting { try await channel.writeAndFlush(command.bytes).get() }
    let channels = state.withLock { state in
      state.connection = channel
      return Array(state.channels.keys)
    }
    for start in stride(from: 0, to: channels.count, by: Self.portion) {
      let some = Array(channels[start..<min(start + Self.portion, channels.count)])
      try await channel.writeAndFlush(RedisCommand("SSUBSCRIBE", some).bytes).get()
    }
    // Comes back once everything before is in force.
    try await channel.writeAndFlush(RedisCommand("PING", [SubscriptionHandler.greeting]).bytes).get()
    return channel
  }

  private func receive(_ push: SubscriptionHandler.Push) {
    switch push {
    case .message(let message, let channel): state.withLock { $0.onEvent }?(.message(message, channel: channel))
    case .subscribed(let channel):
      for waiter in state.withLock({ $0.waiters.removeValue(forKey: channel) }) ?? [] { waiter.resume() }
    case .ready: state.withLock { $0.onEvent }?(.gap)
    }
  }

  private func releaseWaiters() {
    let waiters = state.withLock { state in
      state.connection = nil
      defer { state.waiters = [:] }
      return state.waiters.values.flatMap(\.self)
    }
    for waiter in waiters { waiter.resume() }
  }
}
