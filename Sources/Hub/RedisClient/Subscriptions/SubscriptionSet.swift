/// The channels that are wanted, and the connection over which their messages come.
///
/// Belongs to the subscriber's event loop. Each channel is subscribed to by a command of its own, which has one reply:
/// so replies and commands stay in step.
final class SubscriptionSet {
  typealias Continuation = CheckedContinuation<Result<[RedisValue], RedisFailure>, Never>

  private let kind: RedisSubscriber.Kind
  private var onEvent: @Sendable (RedisConnectionEvent) -> Void = { _ in }
  private var onMessage: @Sendable (RedisMessage) -> Void = { _ in }
  /// How many want each channel, so that one who comes as another leaves keeps it.
  private var channels: [String: Int] = [:]
  private var handler: CommandHandler?
  private var isConnected: Bool?
  private var lastReason = RedisDisconnection.notYetConnected
  private var isShutDown = false

  init(_ kind: RedisSubscriber.Kind) { self.kind = kind }

  func begin(
    _ onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void,
    _ onMessage: @escaping @Sendable (RedisMessage) -> Void
  ) {
    self.onEvent = onEvent
    self.onMessage = onMessage
  }

  func shutDown() { isShutDown = true }

  // MARK: Channels

  /// Asks also for what others have asked for already: only a reply of one's own is a confirmation.
  func subscribe(_ added: [String], _ continuation: Continuation) {
    for channel in added { channels[channel, default: 0] += 1 }
    if isShutDown { return continuation.resume(returning: .failure(.shutDown)) }
    guard let handler else { return continuation.resume(returning: .failure(.notConnected(lastReason))) }
    send(added, to: handler, continuation)
  }

  /// Drops one subscription of each channel; leaves those without any other.
  func unsubscribe(_ removed: [String]) { leave(removed.filter { release($0) }) }

  /// Takes all wishes for the channels back.
  func forget(_ removed: [String]) { leave(removed.filter { channels.removeValue(forKey: $0) != nil }) }

  private func leave(_ unwanted: [String]) {
    guard !unwanted.isEmpty else { return }
    handler?.send(unwanted.map { Submission(command: command("UNSUBSCRIBE", $0), receiver: .discard) })
  }

  /// - Throws: when the server refused a channel.
  static func check(_ replies: [RedisValue]) throws(RedisFailure) {
    guard let error = replies.lazy.compactMap(\.error).first else { return }
    throw RedisFailure(cause: .subscriptionRefused(code: error.code), mayHaveBeenCarriedOut: false)
  }

  /// Whether the channel has no subscriber left.
  private func release(_ channel: String) -> Bool {
    guard let count = channels[channel] else { return false }
    channels[channel] = count > 1 ? count - 1 : nil
    return count <= 1
  }

  private func send(_ wanted: [String], to handler: CommandHandler, _ continuation: Continuation) {
    if wanted.isEmpty { return continuation.resume(returning: .success([])) }
    let batch = ReplyBatch(wanted.count, continuation)
    handler.send(wanted.map { Submission(command: command("SUBSCRIBE", $0), receiver: .batch(batch)) })
  }

  private func command(_ name: String, _ channel: String) -> RedisCommand {
    RedisCommand(kind == .sharded ? "S" + name : name, channel)
  }

  // MARK: The connection

  /// Takes a new connection and subscribes to all channels.
  func attach(_ handler: CommandHandler, _ continuation: Continuation) {
    if isShutDown { return continuation.resume(returning: .failure(.shutDown)) }
    self.handler = handler
    handler.onMessage = { [weak self] in self?.take($0) }
    send(Array(channels.keys), to: handler, continuation)
  }

  func noteConnection(_ handler: CommandHandler) {
    guard handler.isOpen, !isShutDown else { return }
    isConnected = true
    onEvent(.connected)
  }

  func noteLoss(_ reason: RedisDisconnection) {
    handler = nil
    lastReason = reason
    guard !isShutDown, reason != .shutDown, isConnected != false else { return }
    isConnected = false
    onEvent(.lost(reason))
  }

  private func take(_ message: RedisMessage) {
    if !isShutDown { onMessage(message) }
  }
}
