import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Answers HTTP requests of programs on this machine, on loopback or a Unix socket, but none of pages in its browsers
/// (``RequestOrigin``).
///
/// One request a connection; connections, their bytes and their time are bounded. Where all places are taken, the client that
/// has waited for longest without a whole request gives way to a new one.
public final class LocalHTTPServer: Sendable {
  /// Where it listens.
  public enum Place: Sendable {
    /// A numeric address of this machine; port 0 takes any free one.
    case loopback(host: String, port: Int)
    case unix(ControlSocket)
  }

  /// What connections may take.
  public struct Limits: Sendable {
    public var connections = 8
    /// Of a request, with all its headers.
    public var requestBytes = 8_192
    /// From the beginning of a connection to the end of its request: until then no one has shown a token.
    public var requestTime: Duration = .seconds(5)
    /// From the end of a request to the end of its answer; events go on for as long as the client reads them.
    public var time: Duration = .seconds(10)
    /// Events are kept alive by a comment after so long.
    public var keepAlive: Duration = .seconds(15)

    public init() {}
  }

  private typealias Client = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>

  let place: Place
  private let limits: Limits
  private let answer: @Sendable (LocalHTTPRequest) async -> LocalHTTPResponse
  private let clients: ClientRegistry

  /// - Parameter answer: called for requests that come from no page.
  init(
    _ place: Place, limits: Limits, answer: @escaping @Sendable (LocalHTTPRequest) async -> LocalHTTPResponse
  ) {
    self.place = place
    self.limits = limits
    self.answer = answer
    var places = ControlServerLimits()
    (places.clients, places.clientsPerUser, places.reservedClients) = (limits.connections, limits.connections, 0)
    clients = ClientRegistry(limits: places, ownUserID: geteuid())
  }

  /// Serves until the task is cancelled. Call it once.
  ///
  /// - Parameter onListening: called with the address; its port is absent for a Unix socket.
  /// - Throws: when the address cannot be bound.
  func run(onListening: @Sendable (_ address: String, _ port: Int?) -> Void) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      try await serve(on: group, onListening)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
  }

  private func serve(on group: MultiThreadedEventLoopGroup, _ onListening: (String, Int?) -> Void) async throws {
    let server = try await bind(group)
    defer { if case .unix(let socket) = place { socket.removeFile() } }
    let address = server.channel.localAddress
    onListening(address.map { "\($0)" } ?? "", address?.port)
    do {
      try await server.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { tasks in
          for try await client in clients { tasks.addTask { await self.admit(client) } }
        }
      }
    } catch is CancellationError {}
  }

  private func bind(_ group: MultiThreadedEventLoopGroup) async throws -> NIOAsyncChannel<Client, Never> {
    let limit = limits.requestBytes
    let bootstrap = ServerBootstrap(group: group).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    let prepare: @Sendable (any Channel) -> EventLoopFuture<Client> = { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RequestSizeLimit(bytes: limit))
        try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
        return try Client(wrappingChannelSynchronously: channel)
      }
    }
    switch place {
    case .loopback(let host, let port):
      return try await bootstrap.bind(host: host, port: port, childChannelInitializer: prepare)
    case .unix(let socket): return try await bootstrap.bind(socket.descriptor, childChannelInitializer: prepare)
    }
  }

  /// Serves a client, unless there are too many.
  private func admit(_ client: Client) async {
    let channel = client.channel
    guard let ticket = clients.admit(userID: nil, now: .now, close: { channel.close(promise: nil) }) else {
      try? await client.executeThenClose { _, _ in }
      return
    }
    defer { clients.remove(ticket) }
    await serve(client, ticket)
  }

  private func serve(_ client: Client, _ ticket: ClientRegistry.Ticket) async {
    let channel = client.channel
    func closing(in time: Duration) -> Scheduled<Void> {
      channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
    }
    let requestEnd = closing(in: limits.requestTime)
    defer { requestEnd.cancel() }
    // A client that breaks off, or sends something other than HTTP, is not worth a log line.
    try? await client.executeThenClose { parts, output in
      guard let request = try await Self.read(parts) else { return }
      requestEnd.cancel()
      let end = closing(in: self.limits.time)
      defer { end.cancel() }
      self.clients.setBusy(ticket, true, now: .now)
      let response = await self.respond(request.head, request.body, channel)
      try await output.write(response.bytes(isHead: request.head.method == .HEAD))
      guard case .events(let events) = response.body, request.head.method != .HEAD else { return }
      end.cancel()
      try await self.send(events, output, on: channel)
    }
  }

  private static func read(
    _ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>
  ) async throws -> (head: HTTPRequestHead, body: [UInt8])? {
    var head: HTTPRequestHead?
    var body: [UInt8] = []
    for try await part in parts {
      switch part {
      case .head(let newHead): head = newHead
      case .body(let bytes): body += bytes.readableBytesView
      case .end: return head.map { ($0, body) }
      }
    }
    return nil
  }

  private func respond(_ head: HTTPRequestHead, _ body: [UInt8], _ channel: any Channel) async -> LocalHTTPResponse {
    guard RequestOrigin(head.headers).isAllowed(at: place) else { return .failure(.forbidden) }
    guard let request = LocalHTTPRequest(head, body: body, channel: channel) else {
      return .failure(.badRequest)
    }
    return await answer(request)
  }

  private func send(
    _ events: any AsyncSequence<[UInt8], Never> & Sendable, _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>,
    on channel: any Channel
  ) async throws {
    let interval = TimeAmount(limits.keepAlive)
    let comments = channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      // A client that does not read what there is gets no more.
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: ": still here\n\n"), promise: nil) }
    }
    defer { comments.cancel() }
    for await event in events { try await output.write(ByteBuffer(bytes: event)) }
  }
}
