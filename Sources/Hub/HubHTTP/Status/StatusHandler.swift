internal import NIOCore

/// Hands each client of the status socket to the desk.
final class StatusHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let desk: StatusDesk

  init(desk: StatusDesk) { self.desk = desk }

  func channelActive(context: ChannelHandlerContext) { desk.serve(context.channel) }
}
