internal import NIOCore

/// Commands that go out together; their replies come in the same order.
struct CommandBatch: Sendable {
  let bytes: ByteBuffer
  let count: Int
  let promise: EventLoopPromise<[RedisValue]>
}

/// Pairs commands with their replies on one connection; everything runs on its event loop.
final class ReplyHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = CommandBatch
  typealias OutboundOut = ByteBuffer

  private struct Waiting {
    var remaining: Int
    var replies: [RedisValue] = []
    let promise: EventLoopPromise<[RedisValue]>
    let deadline: NIODeadline
  }

  private let reader = ReplyReader()
  private let limit: TimeAmount
  private var waiting = CircularBuffer<Waiting>()
  private var check: Scheduled<Void>?
  private var failure = RedisFailure.lost(reason: "Redis has closed the connection")

  /// - Parameter limit: how long a reply may take before the connection is given up.
  init(limit: TimeAmount) { self.limit = limit }

  func channelActive(context: ChannelHandlerContext) {
    checkDeadline(context)
    context.fireChannelActive()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let batch = unwrapOutboundIn(data)
    waiting.append(Waiting(remaining: batch.count, promise: batch.promise, deadline: .now() + limit))
    context.write(wrapOutboundOut(batch.bytes), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    do {
      try reader.feed(unwrapInboundIn(data))
      while let reply = try reader.next() { take(reply, context) }
    } catch {
      close(context, because: "Redis does not speak its protocol: \(error.reason)")
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    close(context, because: "the connection to Redis failed: \(error)")
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    while let next = waiting.popFirst() { next.promise.fail(failure) }
    context.fireChannelInactive()
  }

  private func take(_ reply: RedisValue, _ context: ChannelHandlerContext) {
    guard !waiting.isEmpty else { return close(context, because: "Redis answers what was not asked") }
    // After a failover the former master takes no writes: the next connection finds the new one.
    if case .error(let words) = reply, words.hasPrefix("READONLY") || words.hasPrefix("MASTERDOWN") {
      failure = .lost(reason: words)
      context.close(promise: nil)
    }
    waiting[waiting.startIndex].replies.append(reply)
    waiting[waiting.startIndex].remaining -= 1
    guard waiting[waiting.startIndex].remaining == 0, let done = waiting.popFirst() else { return }
    done.promise.succeed(done.replies)
  }

  private func checkDeadline(_ context: ChannelHandlerContext) {
    if let first = waiting.first, first.deadline < .now() {
      return close(context, because: "Redis has not answered for \(limit.nanoseconds / 1_000_000_000) s")
    }
    check = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(500)) { self.checkDeadline(context) }
  }

  private func close(_ context: ChannelHandlerContext, because reason: String) {
    failure = .lost(reason: reason)
    context.close(promise: nil)
  }
}
