internal import HubCore
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Signalling
internal import TLSChannel
internal import TLSClient

/// The channel of one connection: HTTP/1.1 behind the hub's limits.
struct HubChannel: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
  }

  private let service: RequestService
  private let executors: EventLoopExecutors
  private let registry: ConnectionRegistry
  private let certificate: HubCertificate?

  /// - Parameter certificate: nil for plain HTTP.
  init(
    service: RequestService, eventLoops: any EventLoopGroup, registry: ConnectionRegistry, certificate: HubCertificate?
  ) {
    self.service = service
    executors = EventLoopExecutors(eventLoops)
    self.registry = registry
    self.certificate = certificate
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      if registry.admit(channel) { try addHandlers(to: channel) } else { try refuse(channel) }
      return Value(channel: channel)
    }
  }

  private func addHandlers(to channel: any Channel) throws {
    let (intake, pace) = (RequestIntake(registry: registry), PaceHandler(registry: registry))
    let peer = ClientAddress(of: channel)
    let pipeline = channel.pipeline.syncOperations
    try Self.boundBuffers(of: channel)
    if let certificate { try pipeline.addHandler(tlsHandler(certificate)) }
    try pipeline.addHandlers(intake, pace)
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
      withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: Self.decoderLimits)
    try pipeline.addHandlers(
      RequestGate(intake: intake, pace: pace, registry: registry, peer: peer),
      RequestHandler(
        service: service, executor: executors.executor(of: channel), tasks: registry.tasks, peer: peer))
  }

  private static var decoderLimits: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8_192, 16_384, 64)
    return limits
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

  /// The channel's handlers do everything.
  func handle(value: Value, logger: Logger) async {}

  private func refuse(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(RefusalHandler(saysWhy: certificate == nil))
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
