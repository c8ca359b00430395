internal import NIOCore
internal import NIOPosix

/// Where a subscriber listens: at one server, or at the servers of a cluster. ``RedisSubscriber`` says what each does.
protocol SubscriptionService: Sendable {
  func run(
    _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void,
    _ onMessage: @escaping @Sendable (RedisMessage) -> Void
  ) async
  func subscribe(_ channels: [String]) async throws(RedisFailure)
  func unsubscribe(_ channels: [String])
}

/// Listens at one server, or at the master that sentinels name, over a connection of its own.
final class ServerSubscriber: SubscriptionService {
  private let loop: any EventLoop
  private let subscriptions: NIOLoopBoundBox<SubscriptionSet>
  private let reconnectLoop: ReconnectLoop

  init(_ settings: RedisConnectionSettings, _ kind: RedisSubscriber.Kind) {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let subscriptions = NIOLoopBoundBox.makeBoxSendingValue(SubscriptionSet(kind), eventLoop: loop)
    self.loop = loop
    self.subscriptions = subscriptions
    let owner = ReconnectLoop.Owner(
      opened: { connection throws(RedisDisconnection) in try await Self.resubscribe(subscriptions, connection) },
      lost: { reason in loop.execute { subscriptions.value.noteLoss(reason) } })
    reconnectLoop = ReconnectLoop(ServerLookup(connector: Connector(loop, settings), needsMaster: false), owner)
  }

  func run(
    _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void,
    _ onMessage: @escaping @Sendable (RedisMessage) -> Void
  ) async {
    loop.execute { self.subscriptions.value.begin(onEvent, onMessage) }
    await withTaskCancellationHandler {
      await reconnectLoop.run()
    } onCancel: {
      loop.execute { self.subscriptions.value.shutDown() }
    }
  }

  func subscribe(_ channels: [String]) async throws(RedisFailure) {
    let replies = try await withCheckedContinuation { continuation in
      loop.execute { self.subscriptions.value.subscribe(channels, continuation) }
    }.get()
    do throws(RedisFailure) {
      try SubscriptionSet.check(replies)
    } catch {
      unsubscribe(channels)
      throw error
    }
  }

  func unsubscribe(_ channels: [String]) {
    loop.execute { self.subscriptions.value.unsubscribe(channels) }
  }

  /// Takes back all wishes for the channels.
  func forget(_ channels: [String]) {
    loop.execute { self.subscriptions.value.forget(channels) }
  }

  private static func resubscribe(
    _ subscriptions: NIOLoopBoundBox<SubscriptionSet>, _ connection: OpenConnection
  ) async throws(RedisDisconnection) {
    let replies = await withCheckedContinuation { continuation in
      connection.loop.execute { subscriptions.value.attach(connection.handler.value, continuation) }
    }
    do throws(RedisFailure) {
      try SubscriptionSet.check(try replies.get())
    } catch {
      throw error.disconnection
    }
    connection.loop.execute { subscriptions.value.noteConnection(connection.handler.value) }
  }
}
