import NIOCore
import TLSClient

/// Makes the tunnel through a proxy before anything above, such as TLS, learns of the connection; then leaves the pipeline.
final class ProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var tunnel: ProxyTunnel
  private let opened: EventLoopPromise<Void>
  private var isOver = false

  init(_ tunnel: ProxyTunnel, _ channel: any Channel) {
    self.tunnel = tunnel
    opened = channel.eventLoop.makePromise()
  }

  /// When the tunnel is open. Fails with ``TLSClient/ProxyRefusal``.
  func whenOpen(_ limit: TimeAmount, _ channel: any Channel) -> EventLoopFuture<Void> {
    let isolated = channel.eventLoop.assumeIsolated()
    let end = isolated.scheduleTask(in: limit) { self.fail("no answer in time") }
    opened.futureResult.assumeIsolated().whenComplete { _ in end.cancel() }
    return opened.futureResult
  }

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: tunnel.request)), promise: nil)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return context.fireChannelRead(data) }
    var octets = unwrapInboundIn(data)
    switch tunnel.receive(octets.readableBytesView) {
    case .pending: context.read()
    case .refused(let refusal): end(.failure(refusal))
    case .open(let consumed):
      octets.moveReaderIndex(forwardBy: consumed)
      end(.success(()))
      context.fireChannelActive()
      if octets.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(octets)) }
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail("it has closed the connection")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(ConnectionFailure.message(for: error))
    context.fireErrorCaught(error)
  }

  func handlerRemoved(context: ChannelHandlerContext) { fail("it has closed the connection") }

  private func fail(_ reason: String) { end(.failure(tunnel.lost(reason))) }

  private func end(_ result: Result<Void, any Error>) {
    guard !isOver else { return }
    isOver = true
    opened.completeWith(result)
  }
}

extension HTTPProxy {
  /// Why there is no connection to it.
  func failure(_ error: any Error, to origin: HTTPOrigin) -> any Error {
    switch error {
    case is ProxyRefusal, is HTTPConnectionError: error
    default:
      ProxyTunnel(to: origin.host, port: origin.port, through: self).lost(ConnectionFailure.message(for: error))
    }
  }
}
