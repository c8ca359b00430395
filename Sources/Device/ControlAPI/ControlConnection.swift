import ControlMessages
import Logging
import NIOCore

/// One client: answers its calls in order.
struct ControlConnection: Sendable {
  let channel: NIOAsyncChannel<[UInt8], ByteBuffer>
  let dispatcher: MethodDispatcher
  let feed: MonitorFeed
  let logger: Logger

  /// Runs until the client goes, breaks a rule, or the task is cancelled. Closes the channel.
  func run() async {
    do {
      try await channel.executeThenClose { inbound, outbound in
        try await serve(inbound, outbound)
      }
    } catch {
      logger.debug("control client disconnected", metadata: ["error": "\(error)"])
    }
  }

  private func serve(
    _ inbound: NIOAsyncChannelInboundStream<[UInt8]>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async throws {
    var messages = inbound.makeAsyncIterator()
    while let message = try await messages.next() {
      let call: VarlinkCall
      do {
        call = try VarlinkCall(message: message)
      } catch {
        logger.notice("malformed control message", metadata: ["error": "\(error)"])
        return
      }
      logger.info("control call", metadata: ["method": "\(call.method)"])
      switch try await dispatcher.handle(call) {
      case .reply(let reply):
        if !call.isOneway { try await outbound.write(ByteBuffer(bytes: reply)) }
      case .monitor:
        try await monitor(outbound)
        return
      }
    }
  }

  /// Sends events until the client goes or is too slow. What it says meanwhile is not read.
  private func monitor(_ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
    let channel = channel.channel
    // A write to a client that does not read waits for ever; closing the channel ends it.
    let subscription = feed.subscribe {
      logger.notice("control client reads its events too slowly, disconnecting")
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in subscription.cancel() }
    for await event in subscription.events {
      let message = try VarlinkReply.encode(MonitorReply(event: event), continues: true)
      try await outbound.write(ByteBuffer(bytes: message))
    }
  }
}
