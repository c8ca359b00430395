internal import HubCore
internal import NIOCore

/// Reads no further ahead than one request: what comes behind it stays as bytes, and the hub stops reading, until the
/// request is answered.
///
/// Stands before ``PaceHandler`` and the HTTP decoder, which gets a connection's bytes up to the end of one head at a time
/// (``HubCore/RequestBoundary``): what is decoded takes many times the memory of its bytes, and a decoder cannot be stopped.
/// Reports what the connection holds to the registry, which bounds that for all anonymous clients together.
final class RequestIntake: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// What may be handed on now.
  enum Demand: Equatable {
    /// A head, or a part of a body in chunks.
    case untilBoundary
    /// This much of a body.
    case bytes(Int)
    /// Nothing any more: what comes is dropped.
    case rest
    /// Nothing: a request is being answered.
    case none
  }

  /// One read brings no more, so that no more is held.
  static let readSize = 16 << 10
  /// A client that ends its side is read to the end at once, whatever is held; with more than this its connection is closed.
  private static let maximumHeld = 64 << 10
  /// A change that the registry learns of.
  private static let reportedChange = 4 << 10

  /// Asked before each piece; set once the gate exists.
  var demand: () -> Demand = { .untilBoundary }
  private let registry: ConnectionRegistry
  private var context: ChannelHandlerContext?
  private var held = ByteBuffer()
  private var boundary = RequestBoundary()
  private var isHandingOn = false
  /// The pipeline has asked for more while something was held.
  private var wantsRead = false
  /// The client has ended its side behind what is held.
  private var hasEnded = false
  /// Bytes of the request that is being answered, and of responses that the client has not taken.
  private(set) var handedOn = 0
  private var unsent = 0
  private var reported = 0

  init(registry: ConnectionRegistry) {
    self.registry = registry
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    demand = { .none }
    held = ByteBuffer()
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
    handOn(context)
    guard held.readableBytes <= Self.maximumHeld else { return context.close(promise: nil) }
    report(context)
  }

  func read(context: ChannelHandlerContext) {
    if held.readableBytes == 0 { context.read() } else { wantsRead = true }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard held.readableBytes > 0, case .some(.inputClosed) = event as? ChannelEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    hasEnded = true
  }

  /// More may be handed on.
  func resume() {
    guard let context, held.readableBytes > 0, !isHandingOn else { return }
    handOn(context)
    context.fireChannelReadComplete()
    report(context)
    guard held.readableBytes == 0 else { return }
    if hasEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    if wantsRead {
      wantsRead = false
      context.read()
    }
  }

  /// The request is answered.
  func responseEnded() {
    handedOn = 0
    if let context { report(context) }
  }

  private func handOn(_ context: ChannelHandlerContext) {
    guard !isHandingOn else { return }
    isHandingOn = true
    defer { isHandingOn = false }
    while held.readableBytes > 0, let piece = nextPiece() {
      handedOn += piece.readableBytes
      context.fireChannelRead(wrapInboundOut(piece))
    }
    // An empty buffer would keep the memory of what was read.
    if held.readableBytes == 0 { held = ByteBuffer() }
  }

  private func nextPiece() -> ByteBuffer? {
    switch demand() {
    case .untilBoundary:
      let length = held.withUnsafeReadableBytes { boundary.length(in: $0) }
      return held.readSlice(length: length ?? held.readableBytes)
    case .bytes(let count): return held.readSlice(length: min(count, held.readableBytes))
    case .rest:
      held.clear()
      return nil
    case .none: return nil
    }
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let count = unwrapOutboundIn(data).readableBytes
    let promise = promise ?? context.eventLoop.makePromise()
    unsent += count
    promise.futureResult.assumeIsolated().whenComplete { _ in
      self.unsent -= count
      if let context = self.context { self.report(context) }
    }
    context.write(data, promise: promise)
    report(context)
  }

  private func report(_ context: ChannelHandlerContext) {
    let count = held.readableBytes + handedOn + unsent
    guard abs(count - reported) >= Self.reportedChange || (count == 0 && reported > 0) else { return }
    reported = count
    registry.note(byteCount: count, of: context.channel)
  }
}
