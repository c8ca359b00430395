internal import HTTPTypes
internal import HubCore
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Signalling
internal import TLSChannel
internal import TLSClient

/// The channel of one connection: Hummingbird's, behind the hub's limits.
struct HubChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let registry: ConnectionRegistry
  private let certificate: HubCertificate?

  /// - Parameter certificate: nil for plain HTTP.
  init(
    responder: @escaping HTTPChannelHandler.Responder, registry: ConnectionRegistry, certificate: HubCertificate? = nil
  ) {
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)
    http = HTTP1Channel(responder: responder, configuration: .init(httpDecoderConfiguration: decoder))
    self.registry = registry
    self.certificate = certificate
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    guard registry.admit(channel) else { return refuse(channel) }
    let front = NIOLoopBound(
      (intake: RequestIntake(registry: registry), pace: PaceHandler(registry: registry)), eventLoop: channel.eventLoop)
    do {
      try Self.boundBuffers(of: channel)
      if let certificate { try channel.pipeline.syncOperations.addHandler(tlsHandler(certificate)) }
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

  private func tlsHandler(_ certificate: HubCertificate) throws -> TLSServerHandler {
    TLSServerHandler(
      try certificate.current.accept(), handshakeLimit: Self.handshakeLimit, plaintextAnswer: Self.plaintextAnswer
    ) { [registry] in registry.noteHandshakeFailure($0.text) }
  }

  /// A slow phone needs three round trips for a handshake, and time to find an authority.
  private static let handshakeLimit: TimeAmount = .seconds(10)

  private static let plaintextAnswer: ByteBuffer = {
    let text = Problem.malformed("this port speaks TLS: begin the URL with https://").json
    let head = [
      "HTTP/1.1 400 Bad Request", "Content-Type: \(Problem.mediaType)", "Content-Length: \(text.utf8.count)",
      "Connection: close", "", "",
    ]
    return ByteBuffer(string: head.joined(separator: "\r\n") + text)
  }()

  func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }

  private func refuse(_ channel: any Channel) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(RefusalHandler(saysWhy: certificate == nil))
      return try Value(wrappingChannelSynchronously: channel)
    }
  }
}

/// Reports to a client that there is no room, in one write; reads nothing. With TLS the connection just closes: a
/// handshake would cost more than a request.
private final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let saysWhy: Bool

  init(saysWhy: Bool) { self.saysWhy = saysWhy }

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
    if saysWhy { context.writeAndFlush(wrapOutboundOut(Self.makeRefusal()), promise: nil) }
    context.close(promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}

extension TLSChannelError {
  fileprivate var text: String {
    switch self {
    case .timedOut: "the handshake took too long"
    case .closed: "the connection ended"
    case .failed(let reason): reason
    }
  }
}
