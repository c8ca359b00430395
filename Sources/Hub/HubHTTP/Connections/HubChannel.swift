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
    let front = NIOLoopBound(
      (intake: RequestIntake(registry: registry), pace: PaceHandler(registry: registry)), eventLoop: channel.eventLoop)
    do {
      try Self.boundBuffers(of: channel)
      try channel.pipeline.syncOperations.addHandlers(front.value.intake, front.value.pace)
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    return http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      let gate = RequestGate(intake: front.value.intake, pace: front.value.pace, registry: registry)
      try pipeline.addHandler(gate, position: .after(decoder))
      return value
    }
  }

  /// What one read brings, and what may wait to be sent.
  private static func boundBuffers(of channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.maxMessagesPerRead, value: 1)
    let allocator = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: RequestIntake.readSize)
    try options.setOption(.recvAllocator, value: allocator)
    try options.setOption(.writeBufferWaterMark, value: .init(low: 8_192, high: 32_768))
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

/// Reports to a client that there is no room, in one write; reads nothing.
private final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Spreads the retries of clients that are refused at the same time.
  private static func makeRefusal() -> ByteBuffer {
    let text = Problem.tooBusy.json
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
