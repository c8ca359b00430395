import NIOCore

/// Closes a connection that sends more than a request of a scraper has.
final class RequestSizeLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private var left: Int

  init(bytes: Int) { left = bytes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    left -= unwrapInboundIn(data).readableBytes
    guard left >= 0 else { return context.close(promise: nil) }
    context.fireChannelRead(data)
  }
}
