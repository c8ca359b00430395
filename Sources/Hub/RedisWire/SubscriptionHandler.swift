internal import NIOCore

/// Takes what Redis sends on a connection with subscriptions, and finds out when it has died.
final class SubscriptionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  enum Push: Sendable, Equatable {
    case message(String, channel: String)
    case subscribed(channel: String)
    /// All that was asked for at the beginning is in force.
    case ready
  }

  static let greeting = "ready"
  private static let pingInterval: TimeAmount = .seconds(5)
  private let reader = ReplyReader()
  private let onPush: (Push) -> Void
  private var isAnswered = true
  private var ping: Scheduled<Void>?

  init(_ onPush: @escaping (Push) -> Void) { self.onPush = onPush }

  func channelActive(context: ChannelHandlerContext) {
    scheduleLook(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    ping?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isAnswered = true
    do {
      try reader.feed(unwrapInboundIn(data))
      while let reply = try reader.next() {
        guard take(reply) else { return context.close(promise: nil) }
      }
    } catch {
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func scheduleLook(_ context: ChannelHandlerContext) {
    ping = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pingInterval) { self.look(context) }
  }

  private func look(_ context: ChannelHandlerContext) {
    guard isAnswered else { return context.close(promise: nil) }
    isAnswered = false
    context.writeAndFlush(NIOAny(RedisCommand("PING", []).bytes), promise: nil)
    scheduleLook(context)
  }

  /// Whether to go on.
  private func take(_ reply: RedisValue) -> Bool {
    switch reply {
    case .error: return false
    case .array(let parts):
      let words = parts.map { $0.text ?? "" }
      guard words.count >= 2 else { return true }
      switch words[0] {
      case "smessage" where words.count == 3: onPush(.message(words[2], channel: words[1]))
      case "ssubscribe": onPush(.subscribed(channel: words[1]))
      case "pong" where words[1] == Self.greeting: onPush(.ready)
      default: break
      }
    case .string(let text) where text == Self.greeting: onPush(.ready)
    default: break
    }
    return true
  }
}
