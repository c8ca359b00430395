internal import HubCore
internal import NIOCore
internal import NIOHTTP1
internal import Signalling

/// Stands between the HTTP decoder and the server: lets pass what is a request, and answers the rest with a problem.
///
/// After a fault nothing more is read: earlier requests are answered first, then the fault, and the connection closes. A
/// fault in the body of a request that the server has already is answered by the server, which is told of it as an error
/// while it reads.
final class RequestGate: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// A request that the server has and has not answered.
  private struct Pending {
    var head: HTTPRequestHead
    var wantsContinue: Bool
  }

  /// What remains of the body that is being read.
  private enum Body: Equatable {
    case none
    case bytes(Int)
    case chunks
  }

  private let pace: PaceHandler
  private let registry: ConnectionRegistry
  private var pending: [Pending] = []
  private var body = Body.none
  /// Of a request that the server does not know of; to be answered after those that are pending.
  private var refusal: Problem?
  private var isAnswering = false
  /// After a fault: what comes further is dropped.
  private var isDeaf = false
  /// After the last pending response.
  private var mustClose = false
  private var isClosing = false
  /// A body this long is read to its end, so that a connection survives a response that came first.
  private static let toleratedRest = 65_536

  init(pace: PaceHandler, registry: ConnectionRegistry) {
    self.pace = pace
    self.registry = registry
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDeaf else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): readHead(head, context)
    case .body(let bytes):
      if case .bytes(let left) = body { body = .bytes(max(left - bytes.readableBytes, 0)) }
      context.fireChannelRead(data)
    case .end:
      body = .none
      pace.requestEnded()
      context.fireChannelRead(data)
    }
  }

  private func readHead(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if let problem = RequestHeadCheck.problem(in: head) {
      registry.note { $0.malformed += 1 }
      return fail(problem, context)
    }
    body = Self.body(of: head)
    let wantsContinue = body != .none && !head.isOld && head.headers.contains(name: "Expect")
    pending.append(Pending(head: head, wantsContinue: wantsContinue))
    pace.headEnded(isUpload: head.method == .POST && head.uri.hasPrefix(ArchiveRoutes.uploads))
    sendContinueIfDue(context)
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
    guard !isDeaf else { return }
    guard error != .invalidEOFState else {
      isDeaf = true
      return context.fireErrorCaught(ClientAbort())
    }
    registry.note { $0.malformed += 1 }
    fail(Problem(error), context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is PaceHandler.RequestTimedOut else { return context.fireUserInboundEventTriggered(event) }
    guard !isDeaf else { return context.close(promise: nil) }
    let detail = "the request was not whole in time"
    fail(Problem(type: "request-timeout", title: "Request timeout", status: 408, detail: detail), context)
  }

  /// What is being read has a fault.
  private func fail(_ problem: Problem, _ context: ChannelHandlerContext) {
    isDeaf = true
    mustClose = true
    if body != .none {
      body = .none
      if pending.isEmpty { linger(context) } else { context.fireErrorCaught(RequestFailure(problem: problem)) }
    } else if pending.isEmpty {
      answer(problem, context)
    } else {
      refusal = problem
    }
  }

  private static func body(of head: HTTPRequestHead) -> Body {
    if head.headers.contains(name: "Transfer-Encoding") { return .chunks }
    let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    return length > 0 ? .bytes(length) : .none
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isClosing, let request = pending.first else { promise?.fail(ChannelError.ioOnClosedChannel); return }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      isAnswering = true
      context.write(wrapOutboundOut(.head(framed(head, for: request.head))), promise: promise)
    case .body:
      if request.head.method == .HEAD { promise?.succeed() } else { context.write(data, promise: promise) }
    case .end:
      isAnswering = false
      endResponse(to: pending.removeFirst().head, data, promise, context)
    }
  }

  /// The response's head as this request and the connection's state want it.
  private func framed(_ head: HTTPResponseHead, for request: HTTPRequestHead) -> HTTPResponseHead {
    var head = head
    if request.isOld {
      head.version = request.version
      mustClose = true
    }
    if leavesRest || !request.isKeepAlive || request.asksForUpgrade || head.headers["Connection"].contains("close") {
      mustClose = true
    }
    if mustClose, pending.count == 1, refusal == nil { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    return head
  }

  /// Whether more of the only request is to come than is worth waiting for.
  private var leavesRest: Bool {
    guard pending.count == 1 else { return false }
    return switch body {
    case .none: false
    case .bytes(let count): count > Self.toleratedRest
    case .chunks: true
    }
  }

  private func endResponse(
    to request: HTTPRequestHead, _ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) {
    pace.responseEnded()
    // The encoder would end a chunked body that a response to HEAD does not have.
    if request.method == .HEAD {
      context.flush()
      promise?.succeed()
    } else {
      context.write(data, promise: promise)
    }
    guard pending.isEmpty else { return sendContinueIfDue(context) }
    if let refusal { answer(refusal, context) } else if mustClose { linger(context) }
  }

  private func sendContinueIfDue(_ context: ChannelHandlerContext) {
    guard pending.count == 1, pending[0].wantsContinue, !isAnswering else { return }
    pending[0].wantsContinue = false
    let head = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  // MARK: The end

  private func answer(_ problem: Problem, _ context: ChannelHandlerContext) {
    let text = problem.json
    let headers: HTTPHeaders = [
      "Content-Type": Problem.mediaType, "Content-Length": "\(text.utf8.count)", "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff", "Connection": "close",
    ]
    let status = HTTPResponseStatus(statusCode: problem.status)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
    linger(context)
  }

  /// Closes after the client has had time to read the last response: closing at once while bytes of it are unread would
  /// reset the connection, and the response would be lost on the way.
  private func linger(_ context: ChannelHandlerContext) {
    isDeaf = true
    isClosing = true
    context.flush()
    context.close(mode: .output, promise: nil)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
  }
}

extension HTTPRequestHead {
  /// After such a request the decoder reads nothing more, whether or not it was granted.
  fileprivate var asksForUpgrade: Bool {
    headers.contains(name: "Upgrade") && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
  }
}
