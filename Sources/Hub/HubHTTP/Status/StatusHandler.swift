internal import NIOCore

/// Hands each client of the status socket to the desk.
final class StatusHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let desk: StatusServer

  init(desk: StatusServer) { self.desk = desk }

  func channelActive(context: ChannelHandlerContext) { desk.serve(context.channel) }
}
