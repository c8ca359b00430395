import ControlMessages
import NIOCore

/// Cuts what a client sends into messages and closes the channel on one that is too long or takes too long.
final class FramingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = [UInt8]

  private var framer: VarlinkFramer
  private let timeout: TimeAmount
  private var deadline: Scheduled<Void>?

  init(limits: ControlServerLimits) {
    framer = VarlinkFramer(limit: limits.messageBytes)
    timeout = TimeAmount(limits.messageTimeout)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    framer.append(unwrapInboundIn(data).readableBytesView)
    do {
      var isComplete = false
      while let message = try framer.next() {
        isComplete = true
        context.fireChannelRead(wrapInboundOut(message))
      }
      watch(context, isComplete: isComplete)
    } catch {
      context.fireErrorCaught(error)
      context.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  /// Measures from a message's first byte, so that a byte now and then does not prolong it.
  private func watch(_ context: ChannelHandlerContext, isComplete: Bool) {
    if isComplete || !framer.hasPartialMessage {
      deadline?.cancel()
      deadline = nil
    }
    guard framer.hasPartialMessage, deadline == nil else { return }
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
  }
}
