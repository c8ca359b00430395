internal import HTTPTypes
internal import HubCore
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Signalling

/// The channel of one connection: Hummingbird's, behind the hub's limits.
struct HubChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let registry: ConnectionRegistry

  init(responder: @escaping HTTPChannelHandler.Responder, registry: ConnectionRegistry) {
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)
    http = HTTP1Channel(responder: responder, configuration: .init(httpDecoderConfiguration: decoder))
    self.registry = registry
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard registry.admit(channel) else { return refuse(channel) }
    let pace = NIOLoopBound(PaceHandler(registry: registry), eventLoop: channel.eventLoop)
    do {
      try channel.pipeline.syncOperations.addHandler(pace.value)
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    return http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(RequestGate(pace: pace.value, registry: registry), position: .after(decoder))
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }

  private func refuse(_ channel: any Channel) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(RefusalHandler())
      return try Value(wrappingChannelSynchronously: channel)
    }
  }
}

/// Tells a client that there is no room, in one write; reads nothing.
private final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Who is refused at the same time does not come back at the same time.
  private static func makeRefusal() -> ByteBuffer {
    let text = Problem(type: "too-busy", title: "Too many connections", status: 503).json
    let head = [
      "HTTP/1.1 503 Service Unavailable", "Content-Type: \(Problem.mediaType)", "Content-Length: \(text.utf8.count)",
      "Retry-After: \(Int.random(in: 5...15))", "Connection: close", "", "",
    ]
    return ByteBuffer(string: head.joined(separator: "\r\n") + text)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(Self.makeRefusal()), promise: nil)
    context.close(promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
