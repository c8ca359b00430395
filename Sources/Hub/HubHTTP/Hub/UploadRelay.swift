internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Hands a device's upload on to the node where it is awaited, chunk by chunk: a slow reader slows the device down
/// there, too.
enum UploadRelay {
  /// Shows the other node that this one has checked who the device is.
  static let ticket = HTTPField.Name("X-Upload-Ticket")!
  private static let connectTimeout: TimeAmount = .seconds(3)
  /// For the other node's response after the last chunk.
  private static let answerTimeout: TimeAmount = .seconds(30)
  private static let fields = ["content-type", "content-length", "x-status", "x-content-range", "x-file-name"]

  /// - Parameters:
  ///   - address: of the node, `host:port`.
  ///   - ticket: see ``HubCore/UploadPlace``; the device's own token does not travel between nodes.
  static func relay(
    _ request: Request, _ uploadID: String, to address: String, ticket: String
  ) async throws -> Response {
    guard let node = ListenAddress(address) else {
      throw HubRefusal.notFound("no such upload")
    }
    let answer = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: HTTPResponseStatus.self)
    let channel = try await connect(to: node, answer)
    let limit = channel.eventLoop.scheduleTask(in: .hours(12)) { channel.close(promise: nil) }
    defer {
      limit.cancel()
      channel.close(promise: nil)
    }
    try await send(request, uploadID, ticket, over: channel)
    let overdue = channel.eventLoop.scheduleTask(in: answerTimeout) { answer.fail(TransferError.abandoned) }
    defer { overdue.cancel() }
    let status = try await answer.futureResult.get()
    return Response(status: HTTPResponse.Status(code: Int(clamping: status.code)))
  }

  private static func connect(
    to node: ListenAddress, _ answer: EventLoopPromise<HTTPResponseStatus>
  ) async throws -> any Channel {
    do {
      return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(connectTimeout)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandler(AnswerHandler(answer))
          }
        }
        .connect(host: node.host, port: node.port).get()
    } catch {
      answer.fail(error)
      throw HubRefusal.overloaded("the node that waits for this upload cannot be reached", retryAfter: 2)
    }
  }

  private static func send(
    _ request: Request, _ uploadID: String, _ ticket: String, over channel: any Channel
  ) async throws {
    var headers = HTTPHeaders([("connection", "close"), (self.ticket.canonicalName, ticket)])
    // The other node answers to the same names.
    if let host = request.head.authority { headers.add(name: "host", value: host) }
    for name in fields {
      guard let field = HTTPField.Name(name), let value = request.headers[field] else { continue }
      headers.add(name: name, value: value)
    }
    if !headers.contains(name: "content-length") { headers.add(name: "transfer-encoding", value: "chunked") }
    let head = HTTPRequestHead(
      version: .http1_1, method: .POST, uri: "\(ArchiveRoutes.uploads)\(uploadID)/relayed", headers: headers)
    try await channel.writeAndFlush(HTTPClientRequestPart.head(head))
    for try await chunk in request.body {
      try await channel.writeAndFlush(HTTPClientRequestPart.body(.byteBuffer(chunk)))
    }
    try await channel.writeAndFlush(HTTPClientRequestPart.end(nil))
  }
}

/// Takes the status of the one answer.
private final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  private let answer: EventLoopPromise<HTTPResponseStatus>

  init(_ answer: EventLoopPromise<HTTPResponseStatus>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { answer.succeed(head.status) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(TransferError.abandoned)
    context.fireChannelInactive()
  }
}
