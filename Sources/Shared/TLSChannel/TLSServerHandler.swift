public import NIOCore
public import TLSClient

/// The server's side of TLS between the socket and the protocol above, by OpenSSL.
///
/// A handshake has a time and a size, and a failed one closes the channel. A client that begins without TLS gets an
/// answer without TLS. The protocol above sees plaintext alone; a connection that ends without close_notify ends for it
/// as one without TLS does, so it has to know by itself whether it has all (HTTP does). Belongs to its channel's event
/// loop.
public final class TLSServerHandler: ChannelDuplexHandler {
  public typealias InboundIn = ByteBuffer
  public typealias InboundOut = ByteBuffer
  public typealias OutboundIn = ByteBuffer
  public typealias OutboundOut = ByteBuffer

  private enum Phase {
    /// `received` counts octets of the client.
    case handshaking(limit: Scheduled<Void>, received: Int)
    case open
    /// What comes is dropped.
    case ended
  }

  /// The maximum octets of a client's part of a handshake: a hello with many extensions takes 2 KiB.
  private static let maximumHandshake = 65_536
  /// How long a client that was answered without TLS has to read the answer: to close while octets of it are unread
  /// would reset the connection.
  private static let lingering: TimeAmount = .seconds(2)
  /// The content type of a handshake's records (RFC 8446 §5.1).
  private static let handshakeRecord: UInt8 = 22

  private let connection: TLSConnection
  private let handshakeLimit: TimeAmount
  private let plaintextAnswer: ByteBuffer
  private let noteFailure: (TLSChannelError) -> Void
  private var phase = Phase.ended
  private var context: ChannelHandlerContext?
  /// Octets of TLS's own since the last write.
  private var answers = 0

  /// Owns the connection from now on.
  ///
  /// - Parameters:
  ///   - handshakeLimit: from the time at which the handler is added.
  ///   - plaintextAnswer: for a client whose first octet is a capital letter, as a request's of plain HTTP.
  ///   - noteFailure: called at most once, for a handshake that fails and for a connection that breaks TLS; not for a
  ///     client that goes away.
  public init(
    _ connection: TLSConnection, handshakeLimit: TimeAmount, plaintextAnswer: ByteBuffer,
    noteFailure: @escaping (TLSChannelError) -> Void
  ) {
    self.connection = connection
    self.handshakeLimit = handshakeLimit
    self.plaintextAnswer = plaintextAnswer
    self.noteFailure = noteFailure
  }

  public func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let limit = context.eventLoop.assumeIsolated().scheduleTask(in: handshakeLimit) { self.timeOut() }
    phase = .handshaking(limit: limit, received: 0)
  }

  public func handlerRemoved(context: ChannelHandlerContext) {
    end()
    self.context = nil
  }

  // MARK: From the client

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let ciphertext = unwrapInboundIn(data)
    switch phase {
    case .handshaking(let limit, let received):
      if received == 0, let first = ciphertext.readableBytesView.first, first != Self.handshakeRecord {
        return refusePlaintext(first, context)
      }
      let total = received + ciphertext.readableBytes
      guard total <= Self.maximumHandshake else { return fail("TLS: the client's handshake is too long", context) }
      phase = .handshaking(limit: limit, received: total)
    case .open: break
    case .ended: return
    }
    connection.receive(ciphertext.readableBytesSpan)
    noteConnected()
    while let plaintext = connection.takePlaintext(from: context.channel.allocator) {
      context.fireChannelRead(wrapInboundOut(plaintext))
    }
    follow(context)
  }

  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Half of a connection is no use to a handshake.
    if case .handshaking = phase, case .some(.inputClosed) = event as? ChannelEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  private func noteConnected() {
    guard case .handshaking(let limit, _) = phase, case .connected = connection.state else { return }
    limit.cancel()
    phase = .open
  }

  /// Sends what TLS has to say, and draws the consequence of its state.
  private func follow(_ context: ChannelHandlerContext) {
    if case .open = phase { answers += connection.pendingCiphertext }
    guard answers <= TLSConnection.maximumAnswers else {
      return fail("TLS: the client asks for new keys without end", context)
    }
    flush(context)
    switch phase {
    case .ended: return
    case .handshaking, .open: break
    }
    switch connection.state {
    case .handshaking, .connected: break
    case .closed: context.close(promise: nil)
    case .failed(let reason): fail(reason, context)
    }
  }

  // MARK: To the client

  public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    answers = 0
    let plaintext = unwrapOutboundIn(data)
    guard plaintext.readableBytes == 0 || connection.send(plaintext.readableBytesSpan) else {
      promise?.fail(TLSChannelError.closed)
      return
    }
    context.write(wrapOutboundOut(connection.takeCiphertext(from: context.channel.allocator)), promise: promise)
  }

  /// With its output closed the connection is read on to nothing, so that the client can read the last response.
  public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    switch mode {
    case .all, .output:
      connection.close()
      flush(context)
      end()
    case .input: break
    }
    context.close(mode: mode, promise: promise)
  }

  private func flush(_ context: ChannelHandlerContext) {
    guard connection.pendingCiphertext > 0 else { return }
    let ciphertext = connection.takeCiphertext(from: context.channel.allocator)
    context.writeAndFlush(wrapOutboundOut(ciphertext), promise: nil)
  }

  // MARK: The end

  private func end() {
    if case .handshaking(let limit, _) = phase { limit.cancel() }
    phase = .ended
  }

  private func timeOut() {
    guard let context else { return }
    noteFailure(.timedOut)
    context.close(promise: nil)
    end()
  }

  private func fail(_ reason: String, _ context: ChannelHandlerContext) {
    noteFailure(.failed(reason: reason))
    // An alert may wait.
    flush(context)
    context.close(promise: nil)
    end()
  }

  private func refusePlaintext(_ first: UInt8, _ context: ChannelHandlerContext) {
    end()
    guard UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first else {
      noteFailure(.failed(reason: "the client does not begin with TLS"))
      return context.close(promise: nil)
    }
    noteFailure(.failed(reason: "the client begins with plain HTTP"))
    context.writeAndFlush(wrapOutboundOut(plaintextAnswer), promise: nil)
    context.close(mode: .output, promise: nil)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
  }
}
