internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1

/// Has each request of a connection answered in a task of its own on the connection's event loop; between requests, and
/// while an event stream rests, the connection has none.
///
/// Stands behind ``RequestGate``, which hands on one request at a time and decides whether a response is the last.
final class RequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  private enum Phase {
    case idle
    /// Of a request whose head has come, with what has come of its body.
    case receiving(HTTPRequestHead, ByteBuffer)
    /// A task has the request; the body as long as more of it comes.
    case answering(RequestBodyStream?)
    case streaming(EventStream)
    case closed
  }

  private let service: RequestService
  private let executor: EventLoopExecutor
  private let tasks: RequestTasks
  private let peer: ClientAddress
  private var phase = Phase.idle
  private var context: ChannelHandlerContext?
  private var roomWaiter: CheckedContinuation<Void, any Error>?
  /// How much of a response of known length is still to be written.
  private var unwritten: Int?
  /// The channel would read, were there room for a body.
  private var wantsRead = false
  /// The client sends nothing more.
  private var isInputClosed = false
  /// After the response: the hub stops, or the connection has failed.
  private var mustClose = false

  /// - Parameter peer: the connection's other end.
  init(service: RequestService, executor: EventLoopExecutor, tasks: RequestTasks, peer: ClientAddress) {
    (self.service, self.executor, self.tasks, self.peer) = (service, executor, tasks, peer)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    connectionEnded()
    self.context = nil
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): phase = .receiving(head, ByteBuffer())
    case .body(let bytes): take(bytes)
    case .end: endBody(context)
    }
  }

  /// What belongs to a request that is answered already is dropped.
  private func take(_ bytes: ByteBuffer) {
    switch phase {
    case .receiving(let head, var body):
      body.writeImmutableBuffer(bytes)
      phase = .receiving(head, body)
    case .answering(let body): body?.push(bytes)
    case .idle, .streaming, .closed: break
    }
  }

  private func endBody(_ context: ChannelHandlerContext) {
    switch phase {
    case .receiving(let head, let body):
      phase = .answering(nil)
      answer(head, RequestBody(buffer: body), context)
    case .answering(let body):
      body?.end(.success(()))
      phase = .answering(nil)
    case .idle, .streaming, .closed: break
    }
  }

  /// A request is answered as soon as its head is there: many are refused whatever their body is.
  func channelReadComplete(context: ChannelHandlerContext) {
    beginUnfinished(context)
    context.fireChannelReadComplete()
  }

  /// Has a request answered whose body is not whole.
  private func beginUnfinished(_ context: ChannelHandlerContext) {
    guard case .receiving(let head, let start) = phase else { return }
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    let body = RequestBodyStream { handler.eventLoop.execute { handler.value.readOn() } }
    if start.readableBytes > 0 { body.push(start) }
    phase = .answering(body)
    answer(head, RequestBody(asyncSequence: body), context)
  }

  private func answer(_ head: HTTPRequestHead, _ body: RequestBody, _ context: ChannelHandlerContext) {
    let writer = ConnectionWriter(self, executor: executor, tasks: tasks, eventLoop: context.eventLoop)
    let request = Request(head: HTTPRequest(head), body: body)
    tasks.start(on: executor) { [service, peer, channel = context.channel] in
      await service.answer(request, from: peer, on: channel, by: writer)
    }
  }

  func read(context: ChannelHandlerContext) {
    if case .answering(let body?) = phase, body.isFull { wantsRead = true } else { context.read() }
  }

  private func readOn() {
    guard wantsRead else { return }
    wantsRead = false
    context?.read()
  }

  // MARK: Responses

  /// - Parameter length: of the body; nil where it is sent in chunks.
  func begin(_ status: HTTPResponse.Status, _ fields: HTTPFields, date: String, length: Int?) {
    guard let context, isAnswering else { return }
    unwritten = length
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase),
      headers: HTTPHeaders(fields, date: date))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if length == nil { context.flush() }
  }

  /// Returns whether there is room for more.
  func send(_ bytes: ByteBuffer) throws(ChannelError) -> Bool {
    guard let context, isAnswering else { throw .ioOnClosedChannel }
    unwritten = unwritten.map { $0 - bytes.readableBytes }
    context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
    // Of a whole body the end follows at once, unless there is no room for it.
    if unwritten != 0 || !context.channel.isWritable { context.flush() }
    return context.channel.isWritable
  }

  var hasRoom: Bool { context?.channel.isWritable ?? false }

  func waitForRoom(_ waiter: CheckedContinuation<Void, any Error>) {
    guard let context, isAnswering else { return waiter.resume(throwing: ChannelError.ioOnClosedChannel) }
    if context.channel.isWritable { waiter.resume() } else { roomWaiter = waiter }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { roomWaiter.take()?.resume() }
    context.fireChannelWritabilityChanged()
  }

  func end() {
    guard let context, isAnswering else { return }
    // The gate may hand on the next request before it returns.
    phase = .idle
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    readOn()
    guard case .idle = phase else { return }
    if mustClose {
      context.close(promise: nil)
    } else if isInputClosed {
      context.close(mode: .output, promise: nil)
    }
  }

  func handOver(to stream: EventStream) {
    guard isAnswering else { return stream.connectionEnded() }
    phase = .streaming(stream)
    if isInputClosed || mustClose { context?.close(promise: nil) }
  }

  private var isAnswering: Bool {
    switch phase {
    case .answering, .streaming: true
    case .idle, .receiving, .closed: false
    }
  }

  // MARK: The end

  func close() { context?.close(promise: nil) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent: hubStops(context)
    case let event as ChannelEvent where event == .inputClosed: inputClosed(context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  /// A request that has begun is answered; event streams are ended by ``EventStreamWakeups``.
  private func hubStops(_ context: ChannelHandlerContext) {
    switch phase {
    case .idle: context.close(promise: nil)
    case .receiving, .answering, .streaming: mustClose = true
    case .closed: break
    }
  }

  private func inputClosed(_ context: ChannelHandlerContext) {
    isInputClosed = true
    switch phase {
    case .idle: context.close(mode: .output, promise: nil)
    case .streaming: context.close(promise: nil)
    case .receiving, .answering, .closed: break
    }
  }

  /// The connection has failed, or the body of a request, which its reader learns.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    beginUnfinished(context)
    switch phase {
    case .answering(let body):
      if let body { body.end(.failure(error)) } else { mustClose = true }
      phase = .answering(nil)
      readOn()
    case .idle, .receiving, .streaming: context.close(promise: nil)
    case .closed: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    connectionEnded()
    context.fireChannelInactive()
  }

  private func connectionEnded() {
    switch phase {
    case .answering(let body): body?.end(.failure(ClientAbort()))
    case .streaming(let stream): stream.connectionEnded()
    case .idle, .receiving, .closed: break
    }
    phase = .closed
    roomWaiter.take()?.resume(throwing: ChannelError.ioOnClosedChannel)
  }
}
