internal import HubCore
internal import NIOCore
internal import NIOHTTP1
internal import Signalling

/// Stands between the HTTP decoder and the server: lets pass what is a request, and answers the rest with a problem.
///
/// There is one request at a time: ``RequestIntake`` hands on the next when its predecessor is answered, and
/// ``RequestScheduler`` says when it begins. After a fault nothing more is read: it is answered, and the connection closes.
/// A fault in the body of a request that the server has already is answered by the server, which sees it as an
/// error while it reads.
final class RequestGate: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The request that is to be answered.
  private struct Current {
    var head: HTTPRequestHead
    var client: RequestClient
    var wantsContinue: Bool
    /// Its turn has not come: the server does not know of it.
    var isWaiting = false
    /// It has no body, and its end came while it waited.
    var hasEnded = false
  }

  /// What remains of the body that is being read.
  private enum Body: Equatable {
    case none
    case bytes(Int)
    case chunks
  }

  private let intake: RequestIntake
  private let pace: PaceHandler
  private let registry: ConnectionRegistry
  private let peer: ClientAddress
  private var context: ChannelHandlerContext?
  private var current: Current?
  private var body = Body.none
  /// After a fault: what comes further is dropped.
  private var isDeaf = false
  /// After the response.
  private var mustClose = false
  private var isClosing = false
  /// A body this long is read to its end, so that a connection survives a response that came first.
  private static let toleratedRest = 65_536

  init(intake: RequestIntake, pace: PaceHandler, registry: ConnectionRegistry, peer: ClientAddress) {
    (self.intake, self.pace, self.registry, self.peer) = (intake, pace, registry, peer)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    intake.demand = { self.demand }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    withdraw(context)
    self.context = nil
    intake.demand = { .none }
  }

  private var demand: RequestIntake.Demand {
    if isDeaf { return .rest }
    if current?.isWaiting == true { return .none }
    return switch body {
    case .bytes(let count) where count > 0: .bytes(count)
    case .none where current != nil: .none
    case .none, .bytes, .chunks: .untilBoundary
    }
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
      if current?.isWaiting == true { current?.hasEnded = true } else { context.fireChannelRead(data) }
    }
  }

  private func readHead(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if let problem = RequestHeadCheck.problem(in: head) {
      registry.note { $0.malformed += 1 }
      return fail(problem, context)
    }
    body = Self.body(of: head)
    let wantsContinue = body != .none && !head.isOld && head.headers.contains(name: "Expect")
    current = Current(
      head: head, client: registry.client(of: head, from: peer, on: context.channel), wantsContinue: wantsContinue)
    pace.headEnded(isUpload: head.isUpload)
    begin(context)
  }

  /// Hands the request to the server, now or when its turn has come.
  private func begin(_ context: ChannelHandlerContext) {
    guard let request = current else { return }
    if registry.scheduler.take(
      ticket(context), of: request.client, byteCount: byteCount(of: request.head), on: context.eventLoop)
    {
      handOn(request, context)
    } else {
      current?.isWaiting = true
    }
  }

  /// Uploads are paced by who asked for them, and have no part in it.
  private func byteCount(of head: HTTPRequestHead) -> Int {
    guard !head.isUpload, case .bytes(let count) = body else { return intake.handedOn }
    return intake.handedOn + min(count, maximumJSONBytes)
  }

  private func ticket(_ context: ChannelHandlerContext) -> RequestScheduler.Ticket {
    let (eventLoop, gate) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
    return RequestScheduler.Ticket(connection: ObjectIdentifier(context.channel)) {
      eventLoop.execute { gate.value.turnCame() }
    }
  }

  private func turnCame() {
    guard let context, let request = current, request.isWaiting else { return }
    current?.isWaiting = false
    handOn(request, context)
    context.fireChannelReadComplete()
    intake.resume()
  }

  private func handOn(_ request: Current, _ context: ChannelHandlerContext) {
    if request.wantsContinue {
      let head = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
    context.fireChannelRead(wrapInboundOut(.head(request.head)))
    if request.hasEnded { context.fireChannelRead(wrapInboundOut(.end(nil))) }
  }

  /// Whether there was a request that the server does not know of.
  @discardableResult
  private func withdraw(_ context: ChannelHandlerContext) -> Bool {
    guard let request = current, request.isWaiting else { return false }
    registry.scheduler.withdraw(ticket(context), of: request.client)
    current = nil
    return true
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
    fail(.requestTimeout, context)
  }

  /// What is being read has a fault.
  private func fail(_ problem: Problem, _ context: ChannelHandlerContext) {
    isDeaf = true
    mustClose = true
    let isUnanswered = withdraw(context) || body == .none
    guard current == nil else {
      if body != .none { context.fireErrorCaught(RequestFailure(problem: problem)) }
      body = .none
      return
    }
    // Of a request that has its response the client gets no second one.
    if isUnanswered { answer(problem, context) } else { linger(context) }
  }

  private static func body(of head: HTTPRequestHead) -> Body {
    if head.headers.contains(name: "Transfer-Encoding") { return .chunks }
    let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    return length > 0 ? .bytes(length) : .none
  }

  // MARK: Responses

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isClosing, let request = current else { promise?.fail(ChannelError.ioOnClosedChannel); return }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if head.status == .unauthorized, let token = request.head.bearerToken {
        registry.forget(token: token)
      }
      context.write(wrapOutboundOut(.head(framed(head, for: request.head))), promise: promise)
    case .body:
      if request.head.method == .HEAD { promise?.succeed() } else { context.write(data, promise: promise) }
    case .end:
      current = nil
      endResponse(to: request.head, data, promise, context)
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
    if mustClose { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    return head
  }

  /// Whether more of the request is to come than is worth waiting for.
  private var leavesRest: Bool {
    switch body {
    case .none: false
    case .bytes(let count): count > Self.toleratedRest
    case .chunks: true
    }
  }

  private func endResponse(
    to request: HTTPRequestHead, _ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) {
    pace.responseEnded()
    intake.responseEnded()
    // The encoder would end a chunked body that a response to HEAD does not have.
    if request.method == .HEAD {
      context.flush()
      promise?.succeed()
    } else {
      context.write(data, promise: promise)
    }
    if mustClose { linger(context) } else { intake.resume() }
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
    intake.resume()
    context.close(mode: .output, promise: nil)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
  }
}

extension ConnectionRegistry {
  /// The origin of a request: the account whose token was accepted lately, else the address that it comes from, as
  /// ``ClientAddress`` finds it. Requests of a proxy that names no client are distinguished by connection.
  fileprivate func client(of head: HTTPRequestHead, from peer: ClientAddress, on channel: any Channel) -> RequestClient
  {
    if let token = head.bearerToken, let account = account(of: token) {
      return RequestClient(isAuthenticated: true, key: "\(account)")
    }
    let client = peer.client(of: head.headers, behind: trustedProxies)
    let isKnown = client.address != nil && !client.isAmong(trustedProxies)
    return RequestClient(
      isAuthenticated: false, key: isKnown ? client.origin : "\(ObjectIdentifier(channel).hashValue)")
  }
}

extension HTTPRequestHead {
  fileprivate var isUpload: Bool { method == .POST && uri.hasPrefix(ArchiveRoutes.uploads) }

  fileprivate var bearerToken: String? { headers.first(name: "Authorization")?.bearerToken }

  /// After such a request the decoder reads nothing more, whether or not it was granted.
  fileprivate var asksForUpgrade: Bool {
    headers.contains(name: "Upgrade") && headers[canonicalForm: "Connection"].contains { $0.lowercased() == "upgrade" }
  }
}
