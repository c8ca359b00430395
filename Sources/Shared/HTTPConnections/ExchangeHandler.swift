import NIOCore
import NIOHTTP1

/// The end of a connection's pipeline: hands the parts of answers over one by one, and closes a connection that is silent
/// for too long while an exchange is pending.
///
/// The socket is read only while no part waits here. A reader that is slow slows the server down; the end of a connection
/// is noticed all the same, also between exchanges.
final class ExchangeHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let channel: any Channel
  private let idleTimeout: TimeAmount
  private var parts = CircularBuffer<HTTPClientResponsePart>()
  private var reader: EventLoopPromise<HTTPClientResponsePart>?
  private var writes = 0
  private var failure: (any Error)?
  private var lastActivity = NIODeadline.now()
  private var silenceCheck: Scheduled<Void>?
  /// Ends a connection that rests in the pool; `nil` during an exchange.
  private var restEnd: Scheduled<Void>?

  init(_ channel: any Channel, idleTimeout: TimeAmount) {
    self.channel = channel
    self.idleTimeout = idleTimeout
  }

  // MARK: The exchange

  /// The answer's next part; requested by one reader at a time.
  func nextPart() -> EventLoopFuture<HTTPClientResponsePart> {
    if let part = parts.popFirst() {
      readIfEmpty()
      return channel.eventLoop.makeSucceededFuture(part)
    }
    if let failure { return channel.eventLoop.makeFailedFuture(failure) }
    let promise = channel.eventLoop.makePromise(of: HTTPClientResponsePart.self)
    reader = promise
    watchForSilence()
    return promise.futureResult
  }

  /// Writes parts of a request; the result is false, and nothing written, when an answer has come already.
  func write(_ parts: [HTTPClientRequestPart]) -> EventLoopFuture<Bool> {
    restEnd?.cancel()
    restEnd = nil
    if !self.parts.isEmpty { return channel.eventLoop.makeSucceededFuture(false) }
    if let failure { return channel.eventLoop.makeFailedFuture(failure) }
    writes += 1
    // All of them succeed together or not at all, as far as is visible.
    let written = parts.map { channel.write($0) }
    channel.flush()
    watchForSilence()
    return EventLoopFuture.andAllSucceed(written, on: channel.eventLoop).assumeIsolated()
      .flatMapThrowing { self.noteWritten() }
      .flatMapErrorThrowing { error in
        self.noteWritten()
        // The server has answered and hung up.
        guard self.parts.isEmpty else { return false }
        throw self.failure ?? error
      }
      .nonisolated()
  }

  /// Begins the pause between two exchanges.
  func rest(for limit: TimeAmount) {
    if !parts.isEmpty { return fail(HTTPConnectionError.unexpectedAnswer) }
    silenceCheck?.cancel()
    silenceCheck = nil
    let channel = channel
    restEnd = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }

  /// Ends the exchange from this side.
  func close() { fail(HTTPConnectionError.closed) }

  @discardableResult
  private func noteWritten() -> Bool {
    writes -= 1
    lastActivity = .now()
    return true
  }

  // MARK: The network

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What the parser makes of a connection that has failed, or that this side has closed, is no end of a body.
    guard failure == nil else { return }
    lastActivity = .now()
    if restEnd != nil { return fail(HTTPConnectionError.unexpectedAnswer) }
    let part = unwrapInboundIn(data)
    guard let reader = reader.take() else { return parts.append(part) }
    reader.succeed(part)
  }

  func channelReadComplete(context: ChannelHandlerContext) { readIfEmpty() }

  func channelInactive(context: ChannelHandlerContext) {
    fail(HTTPConnectionError.closed)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(HTTPConnectionError.translating(error))
  }

  private func readIfEmpty() {
    if parts.isEmpty, failure == nil { channel.read() }
  }

  /// Parts that have arrived are still delivered.
  private func fail(_ error: any Error) {
    guard failure == nil else { return }
    failure = error
    silenceCheck?.cancel()
    restEnd?.cancel()
    reader.take()?.fail(error)
    channel.close(promise: nil)
  }

  // MARK: Silence

  /// One check at a time, which moves on when it comes too early: cheaper than a new one a part.
  private func watchForSilence() {
    lastActivity = .now()
    if silenceCheck == nil { checkForSilence(in: idleTimeout) }
  }

  private func checkForSilence(in time: TimeAmount) {
    silenceCheck = channel.eventLoop.assumeIsolated().scheduleTask(in: time) { self.checkForSilence() }
  }

  private func checkForSilence() {
    silenceCheck = nil
    guard reader != nil || writes > 0 else { return }
    let rest = lastActivity + idleTimeout - .now()
    if rest > .zero { checkForSilence(in: rest) } else { fail(HTTPConnectionError.timedOut) }
  }
}
