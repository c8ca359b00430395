import ControlMessages
import Logging
import NIOCore

/// One client: answers its calls in order.
struct ControlConnection: Sendable {
  let channel: NIOAsyncChannel<[UInt8], ByteBuffer>
  let dispatcher: MethodDispatcher
  let feed: MonitorFeed
  let logger: Logger
  /// Called when a method call begins and when it has been answered.
  let onBusy: @Sendable (Bool) -> Void

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
        logger.log(level: level(.notice), "malformed control message", metadata: ["error": "\(error)"])
        return
      }
      onBusy(true)
      defer { onBusy(false) }
      logger.log(level: level(.info), "control call", metadata: ["method": "\(call.method)"])
      switch try await dispatcher.handle(call) {
      case .reply(let reply):
        if !call.isOneway { try await outbound.write(ByteBuffer(bytes: reply)) }
      case .monitor:
        try await monitor(outbound)
        return
      case .follow(let parameters):
        try await follow(parameters, outbound)
        return
      case .followHunt(let parameters):
        try await follow(parameters, outbound)
        return
      }
    }
  }

  /// Who only watches changes nothing that a journal has to hold, and could fill it.
  private func level(_ usual: Logger.Level) -> Logger.Level { dispatcher.access == .monitoring ? .debug : usual }

  /// Sends events until the client goes or is too slow. What it says meanwhile is not read.
  private func monitor(_ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws {
    for await event in subscribe().events {
      try await send(MonitorReply(event: dispatcher.access.shown(event)), outbound)
    }
  }

  /// Places a call and sends its events until it is over, or the client goes or is too slow.
  private func follow(
    _ parameters: CallParameters, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async throws {
    // Before the call is placed, so that none of its events is missed.
    let subscription = subscribe()
    defer { subscription.cancel() }
    let sessionID: String
    do {
      sessionID = try await dispatcher.place(parameters)
    } catch {
      return try await outbound.write(ByteBuffer(bytes: try VarlinkReply.encode(error: error)))
    }
    try await send(CallReply(sessionID: sessionID), outbound)
    for await event in subscription.events where event.sessionID == sessionID {
      try await send(CallReply(sessionID: sessionID, event: event), outbound, continues: !event.endsCall)
      if event.endsCall { return }
    }
  }

  /// Begins a hunt and sends its events until it is over, or the client goes or is too slow.
  private func follow(
    _ parameters: HuntParameters, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) async throws {
    let subscription = subscribe()
    defer { subscription.cancel() }
    let name: String
    do {
      name = try await dispatcher.begin(parameters)
    } catch {
      return try await outbound.write(ByteBuffer(bytes: try VarlinkReply.encode(error: error)))
    }
    try await send(HuntReply(hunt: name), outbound)
    for await event in subscription.events where event.hunt == name {
      try await send(HuntReply(hunt: name, event: event), outbound, continues: !event.endsHunt)
      if event.endsHunt { return }
    }
  }

  private func subscribe() -> MonitorFeed.Subscription {
    let (channel, level) = (channel.channel, level(.notice))
    // A write to a client that does not read waits forever; closing the channel ends it.
    let subscription = feed.subscribe {
      logger.log(level: level, "control client reads its events too slowly, disconnecting")
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { _ in subscription.cancel() }
    return subscription
  }

  private func send(
    _ reply: some Encodable, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, continues: Bool = true
  ) async throws {
    try await outbound.write(ByteBuffer(bytes: try VarlinkReply.encode(reply, continues: continues)))
  }
}
