import NIOCore
import NIOHTTP1
import NIOPosix
import SystemSupport

/// A small real HTTP server on loopback whose answers the test decides, request by request.
final class ScriptedServer: Sendable {
  struct Request: Sendable {
    var line: String
    var headers: [String: String]
    var body: String
  }

  struct Response: Sendable {
    var status = 200
    var headers: [(String, String)] = []
    var body = ""
    /// Whether the connection stays open without an end of the body, as an event stream does.
    var isOpenEnded = false
    /// Whether the connection breaks in the midst of the body.
    var breaksOff = false
    /// After which time an open-ended body ends as it should.
    var endsAfter: TimeAmount?

    static func json(_ text: String, status: Int = 200) -> Response {
      Response(status: status, headers: [("Content-Type", "application/json")], body: text)
    }

    static func events(_ text: String, breaksOff: Bool = false, endsAfter: TimeAmount? = nil) -> Response {
      Response(
        headers: [("Content-Type", "text/event-stream")], body: text, isOpenEnded: !breaksOff, breaksOff: breaksOff,
        endsAfter: endsAfter)
    }
  }

  typealias Script = @Sendable (Request, _ number: Int) -> Response

  private let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let received = Mutex<[Request]>([])
  private let channel = Mutex<(any Channel)?>(nil)
  private let script: Script

  /// - Parameter script: what to answer; `number` counts the requests with the same request line, from zero.
  init(_ script: @escaping Script) { self.script = script }

  var requests: [Request] { received.withLock { $0 } }

  func lines(_ line: String) -> [Request] { requests.filter { $0.line == line } }

  /// Listens and returns the base URL.
  func start() async throws -> String {
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(self))
        }
      }
    let listening = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    channel.withLock { $0 = listening }
    return "http://127.0.0.1:\(listening.localAddress?.port ?? 0)"
  }

  func stop() async throws {
    let listening = channel.withLock { $0.take() }
    try await listening?.close()
    try await threads.shutdownGracefully()
  }

  fileprivate func answer(_ request: Request) -> Response {
    let number = received.withLock { requests in
      defer { requests.append(request) }
      return requests.count { $0.line == request.line }
    }
    return script(request, number)
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: ScriptedServer
    private var head: HTTPRequestHead?
    private var body = ""

    init(_ server: ScriptedServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): (self.head, body) = (head, "")
      case .body(let buffer): body += String(buffer: buffer)
      case .end:
        guard let head else { return }
        let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        respond(
          server.answer(Request(line: "\(head.method) \(head.uri)", headers: headers, body: body)), context: context)
      }
    }

    private func respond(_ response: Response, context: ChannelHandlerContext) {
      var headers = HTTPHeaders(response.headers)
      if !response.isOpenEnded, !response.breaksOff {
        headers.add(name: "Content-Length", value: String(response.body.utf8.count))
      }
      let head = HTTPResponseHead(
        version: .http1_1, status: .init(statusCode: response.status), headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: response.body)))), promise: nil)
      if let time = response.endsAfter {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) {
          context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        }
      }
      if response.breaksOff {
        context.close(promise: nil)
      } else if !response.isOpenEnded {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      }
    }
  }
}
