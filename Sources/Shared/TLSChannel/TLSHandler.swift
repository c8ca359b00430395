public import NIOCore
public import TLSClient

/// TLS between the socket and the protocol above, by OpenSSL; nothing may be written before the handshake has succeeded.
///
/// Its failures are ``TLSChannelError``. Belongs to its channel's event loop.
public final class TLSHandler: ChannelDuplexHandler {
  public typealias InboundIn = ByteBuffer
  public typealias InboundOut = ByteBuffer
  public typealias OutboundIn = ByteBuffer
  public typealias OutboundOut = ByteBuffer

  private let connection: TLSConnection
  /// How the handshake ended; `nil` before.
  private var outcome: Result<Void, any Error>?
  private var waiter: EventLoopPromise<Void>?
  /// Octets of answers since the last write.
  private var answers = 0

  /// Owns the connection from now on.
  public init(_ connection: TLSConnection) { self.connection = connection }

  /// To be called once, on the loop.
  public func waitForHandshake(_ limit: TimeAmount, _ channel: any Channel) -> EventLoopFuture<Void> {
    let promise = channel.eventLoop.makePromise(of: Void.self)
    if let outcome {
      promise.completeWith(outcome)
      return promise.futureResult
    }
    waiter = promise
    let isolated = channel.eventLoop.assumeIsolated()
    let end = isolated.scheduleTask(in: limit) { self.endHandshake(.failure(TLSChannelError.timedOut)) }
    promise.futureResult.assumeIsolated().whenComplete { _ in end.cancel() }
    return promise.futureResult
  }

  public func channelActive(context: ChannelHandlerContext) {
    flushCiphertext(context)
    context.fireChannelActive()
  }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let ciphertext = unwrapInboundIn(data)
    connection.receive(ciphertext.readableBytesSpan)
    while let plaintext = takePlaintext(context) { context.fireChannelRead(wrapInboundOut(plaintext)) }
    guard mayAnswer() else {
      return context.fireErrorCaught(TLSChannelError.failed(reason: "TLS: the server asks for new keys without end"))
    }
    flushCiphertext(context)
    settle(context)
  }

  public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    answers = 0
    let plaintext = unwrapOutboundIn(data)
    guard plaintext.readableBytes == 0 || connection.send(plaintext.readableBytesSpan) else {
      promise?.fail(TLSChannelError.closed)
      return
    }
    context.write(wrapOutboundOut(takeCiphertext(context)), promise: promise)
  }

  public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    connection.close()
    flushCiphertext(context)
    context.close(mode: mode, promise: promise)
  }

  /// A connection that ends without close_notify may have been cut by a third party (RFC 8446 §6.1).
  public func channelInactive(context: ChannelHandlerContext) {
    endHandshake(.failure(TLSChannelError.closed))
    if case .connected = connection.state { context.fireErrorCaught(TLSChannelError.closed) }
    context.fireChannelInactive()
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) {
    endHandshake(.failure(error))
    context.fireErrorCaught(error)
  }

  /// Counts what TLS has to say by itself, once the handshake is over.
  private func mayAnswer() -> Bool {
    if outcome != nil { answers += connection.pendingCiphertext }
    return answers <= TLSConnection.maximumAnswers
  }

  /// Draws the consequence of what the server has sent.
  private func settle(_ context: ChannelHandlerContext) {
    switch connection.state {
    case .handshaking: break
    case .connected: endHandshake(.success(()))
    case .closed: context.close(promise: nil)
    case .failed(let reason):
      let error = TLSChannelError.failed(reason: reason)
      endHandshake(.failure(error))
      context.fireErrorCaught(error)
    }
  }

  private func endHandshake(_ result: Result<Void, any Error>) {
    guard outcome == nil else { return }
    outcome = result
    waiter.take()?.completeWith(result)
  }

  private func takePlaintext(_ context: ChannelHandlerContext) -> ByteBuffer? {
    connection.takePlaintext(from: context.channel.allocator)
  }

  private func takeCiphertext(_ context: ChannelHandlerContext) -> ByteBuffer {
    connection.takeCiphertext(from: context.channel.allocator)
  }

  private func flushCiphertext(_ context: ChannelHandlerContext) {
    guard connection.pendingCiphertext > 0 else { return }
    context.writeAndFlush(wrapOutboundOut(takeCiphertext(context)), promise: nil)
  }
}
