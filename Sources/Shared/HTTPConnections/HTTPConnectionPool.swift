import SystemSupport
import NIOCore
import NIOHTTP1
import NIOPosix
import TLSChannel
public import TLSClient

/// HTTP/1.1 to one server: few connections, used again, on one thread that sleeps unless there is something to do.
///
/// Knows no redirects, cookies, compression and repetitions. Heads are bounded by the parser, bodies by who reads
/// them. May be used from any task; a task that is cancelled ends its exchange at once.
public final class HTTPConnectionPool: Sendable {
  /// Bounds of connections and of their time.
  public struct Limits: Sendable {
    /// Connections at the same time; further requests wait for one.
    public var connections = 8
    /// Time for the name lookup, the connection and the TLS handshake, each.
    public var connectTimeout: Duration = .seconds(10)
    /// Silence after which an exchange is given up.
    public var idleTimeout: Duration = .seconds(35)
    /// Time for which an unused connection is kept.
    public var keepAlive: Duration = .seconds(60)

    public init() {}
  }

  private struct State {
    var resting: [HTTPConnection] = []
    var isShutDown = false
  }

  private let origin: HTTPOrigin
  private let limits: Limits
  private let tls: Result<TLSClient, TLSClientError>?
  private let slots: ConnectionSlots
  private let state = Mutex(State())
  private let threads: MultiThreadedEventLoopGroup
  /// Where connections go, in place of what a lookup of the origin's name finds.
  private let addresses: [SocketAddress]?
  /// Makes tunnels to the origin.
  private let proxy: HTTPProxy?

  /// - Parameters:
  ///   - authorityFile: certificates (PEM) of authorities that are trusted besides the system's.
  ///   - route: whether connections go through a proxy.
  public init(
    _ origin: HTTPOrigin, limits: Limits = Limits(), authorityFile: String? = nil, route: ProxyRoute = .direct
  ) {
    self.origin = origin
    self.limits = limits
    proxy = route.proxy(to: origin.host, port: origin.port, isSecure: origin.isSecure)
    slots = ConnectionSlots(limits.connections)
    (threads, addresses) = (MultiThreadedEventLoopGroup(numberOfThreads: 1), nil)
    tls =
      origin.isSecure
      ? Result { () throws(TLSClientError) in
        try TLSClient(authorityFile: authorityFile, remedy: "update-ca-certificates(8) adds an authority of your own")
      } : nil
  }

  /// For connections to these addresses alone, on threads of the owner, which must not call ``shutdown()``.
  init(
    _ origin: HTTPOrigin, at addresses: [SocketAddress], limits: Limits, tls: Result<TLSClient, TLSClientError>,
    threads: MultiThreadedEventLoopGroup
  ) {
    (self.origin, self.addresses, self.limits, self.threads) = (origin, addresses, limits, threads)
    proxy = nil
    slots = ConnectionSlots(limits.connections)
    self.tls = origin.isSecure ? tls : nil
  }

  /// Sends a request and returns when the head of the answer has come.
  ///
  /// - Throws: ``HTTPConnectionError``, and what the system, NIO's HTTP parser or the body's chunks throw.
  public func execute(_ request: HTTPRequest) async throws -> HTTPAnswer {
    guard await slots.take() else { throw HTTPConnectionError.cancelled }
    let connection: HTTPConnection
    do {
      if let resting = try takeResting() { connection = resting } else { connection = try await connect() }
    } catch {
      slots.giveBack()
      throw error
    }
    return try await HTTPExchange(connection, pool: self).begin(request.head(for: origin), request.body)
  }

  /// Closes connections that no exchange uses, and those of exchanges that end from now on.
  func closeConnections() {
    let resting = state.withLock { state in
      state.isShutDown = true
      defer { state.resting = [] }
      return state.resting
    }
    for connection in resting { connection.close() }
  }

  /// Ends all exchanges, connections and the thread. To be called once.
  public func shutdown() async {
    state.withLock { $0.isShutDown = true }
    // Fails only when it has been shut down already.
    try? await threads.shutdownGracefully()
  }

  /// Called once for each connection that ``execute(_:)`` took.
  func takeBack(_ connection: HTTPConnection, isReusable: Bool) {
    let isKept = state.withLock { state in
      guard isReusable, !state.isShutDown, connection.isOpen else { return false }
      // Before a request can take it: the loop runs tasks in the order in which they were submitted.
      connection.rest(for: TimeAmount(limits.keepAlive))
      state.resting.append(connection)
      return true
    }
    if !isKept { connection.close() }
    slots.giveBack()
  }

  /// The connection that was used last, so that those that are not needed reach their end.
  private func takeResting() throws(HTTPConnectionError) -> HTTPConnection? {
    let taken = state.withLock { state -> (connection: HTTPConnection?, isShutDown: Bool) in
      state.resting.removeAll { !$0.isOpen }
      return (state.resting.popLast(), state.isShutDown)
    }
    if taken.isShutDown { throw .shutDown }
    return taken.connection
  }

  private func forget(_ connection: HTTPConnection) {
    state.withLock { $0.resting.removeAll { $0 === connection } }
  }
}

extension HTTPConnectionPool {
  private func connect() async throws -> HTTPConnection {
    do {
      return try await connectOnce()
    } catch {
      throw proxy?.failure(error, to: origin) ?? error
    }
  }

  private func connectOnce() async throws -> HTTPConnection {
    let promise = threads.next().makePromise(of: HTTPConnection.self)
    let connection = try await withTaskCancellationHandler {
      bootstrap().connect(host: proxy?.host ?? origin.host, port: proxy.map { Int($0.port) } ?? origin.port)
        .flatMap { channel in channel.eventLoop.flatSubmit { self.finish(channel, promise) } }
        .cascade(to: promise)
      return try await promise.futureResult.get()
    } onCancel: {
      promise.fail(HTTPConnectionError.cancelled)
    }
    connection.whenClosed { [weak self] in self?.forget(connection) }
    return connection
  }

  private func bootstrap() -> ClientBootstrap {
    ClientBootstrap(group: threads)
      .resolver(addresses.map { KnownAddresses($0, threads.next()) })
      .connectTimeout(TimeAmount(limits.connectTimeout))
      .channelOption(.autoRead, value: false)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .closingWhenPeerIsDead()
      .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try self.prepare(channel) } }
  }

  /// Called for each address that is tried; the first that answers wins (RFC 8305).
  private func prepare(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    if let proxy {
      let tunnel = ProxyTunnel(to: origin.host, port: origin.port, through: proxy)
      try pipeline.addHandler(ProxyHandler(tunnel, channel))
    }
    if let tls { try pipeline.addHandler(TLSHandler(try tls.get().connect(to: origin.host))) }
    try pipeline.addHTTPClientHandlers()
    try pipeline.addHandler(ExchangeHandler(channel, idleTimeout: TimeAmount(limits.idleTimeout)))
  }

  /// Called on the channel's loop for the one that won.
  private func finish(
    _ channel: any Channel, _ promise: EventLoopPromise<HTTPConnection>
  ) -> EventLoopFuture<HTTPConnection> {
    // Also when no request waits for the connection any more.
    promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
    let limit = TimeAmount(limits.connectTimeout)
    let tunnel = try? channel.pipeline.syncOperations.handler(type: ProxyHandler.self).whenOpen(limit, channel)
    return (tunnel ?? channel.eventLoop.makeSucceededVoidFuture()).assumeIsolated().flatMap {
      let tls = try? channel.pipeline.syncOperations.handler(type: TLSHandler.self)
      return tls?.waitForHandshake(limit, channel) ?? channel.eventLoop.makeSucceededVoidFuture()
    }.nonisolated().flatMapErrorThrowing { error in
      throw HTTPConnectionError.translating(error)
    }.flatMapThrowing {
      HTTPConnection(channel, try channel.pipeline.syncOperations.handler(type: ExchangeHandler.self))
    }
  }
}
