public import ControlMessages
import Glibc
public import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Answers `GET /metrics` with the daemon's metrics, on loopback or a Unix socket: every client may read them, but for
/// pages in a browser of the machine (``ScrapeOrigin``).
///
/// One request a connection; connections, their bytes and their time are bounded. Where all places are taken, the client that
/// has waited for longest without a whole request gives way to a new one.
public final class PrometheusServer: Sendable {
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
    /// From the beginning of a connection to the end of its answer.
    public var time: Duration = .seconds(10)

    public init() {}
  }

  private typealias Client = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>

  private let place: Place
  private let limits: Limits
  private let logger: Logger
  private let read: @Sendable () async throws -> DeviceTelemetry
  private let clients: ClientRegistry

  /// - Parameter read: takes the figures.
  public init(
    _ place: Place, limits: Limits = Limits(), logger: Logger,
    read: @escaping @Sendable () async throws -> DeviceTelemetry
  ) {
    self.place = place
    self.limits = limits
    self.logger = logger
    self.read = read
    var places = ControlServerLimits()
    (places.clients, places.clientsPerUser, places.reservedClients) = (limits.connections, limits.connections, 0)
    clients = ClientRegistry(limits: places, ownUserID: geteuid())
  }

  /// Serves until the task is cancelled. Call it once.
  ///
  /// - Parameter onListening: called with the port, which a Unix socket has none of.
  /// - Throws: when the address cannot be bound.
  public func run(onListening: @Sendable (Int?) -> Void = { _ in }) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      try await serve(on: group, onListening)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
  }

  private func serve(on group: MultiThreadedEventLoopGroup, _ onListening: @Sendable (Int?) -> Void) async throws {
    let server = try await bind(group)
    defer { if case .unix(let socket) = place { socket.removeFile() } }
    let port = server.channel.localAddress?.port
    logger.info(
      "figures are served at /metrics", metadata: ["address": "\(server.channel.localAddress.map { "\($0)" } ?? "")"])
    onListening(port)
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
    let end = channel.eventLoop.scheduleTask(in: TimeAmount(limits.time)) { channel.close(promise: nil) }
    defer { end.cancel() }
    // A client that breaks off, or sends something other than HTTP, is not worth a log line.
    try? await client.executeThenClose { parts, output in
      var request: HTTPRequestHead?
      for try await part in parts {
        switch part {
        case .head(let head): request = head
        case .body: break
        case .end:
          guard let request else { return }
          self.clients.setBusy(ticket, true, now: .now)
          try await output.write(await self.answer(request).bytes(isHead: request.method == .HEAD))
          return
        }
      }
    }
  }

  private func answer(_ request: HTTPRequestHead) async -> PrometheusAnswer {
    guard ScrapeOrigin(request.headers).isAllowed(at: place) else { return .failure(.forbidden) }
    guard request.uri.prefix(while: { $0 != "?" }) == "/metrics" else { return .failure(.notFound) }
    guard request.method == .GET || request.method == .HEAD else { return .failure(.methodNotAllowed) }
    do {
      return .metrics(DeviceMetrics.text(try await read()))
    } catch {
      logger.warning("the figures cannot be taken: \(error)")
      return .failure(.internalServerError)
    }
  }
}
