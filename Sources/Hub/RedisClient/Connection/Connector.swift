internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import TLSChannel
internal import TLSClient

/// A connection whose greeting is not said yet, and which its event loop owns.
struct OpenConnection: Sendable {
  let loop: any EventLoop
  let handler: NIOLoopBound<CommandHandler>

  /// Sends commands in one flush and waits for their replies.
  func send(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisValue] {
    guard !commands.isEmpty else { return [] }
    return try await withCheckedContinuation { continuation in
      loop.execute {
        let batch = ReplyBatch(commands.count, continuation)
        handler.value.send(commands.map { Submission(command: $0, receiver: .batch(batch)) })
      }
    }.get()
  }

  func send(_ command: RedisCommand) async throws(RedisFailure) -> RedisValue { try await send([command])[0] }

  func close(_ reason: RedisDisconnection) { loop.execute { handler.value.close(reason) } }
}

/// Opens connections to an address: TCP or a Unix socket, TLS where it is wanted.
struct Connector: Sendable {
  enum Target: Sendable {
    case tcp(RedisConnectionSettings.Address)
    case unixSocket(path: String)
  }

  let loop: any EventLoop
  private(set) var settings: RedisConnectionSettings
  private let tls: Result<TLSClient, TLSClientError>?

  /// Reads the files that TLS needs once; what is wrong with them fails each connection.
  init(_ loop: any EventLoop, _ settings: RedisConnectionSettings) {
    self.loop = loop
    self.settings = settings
    tls = settings.tls.map { tls in Result { () throws(TLSClientError) in try tls.makeClient() } }
  }

  /// The same for servers of which no more than so much is expected.
  func expecting(replyBytes: Int, replyElements: Int) -> Connector {
    var bounded = self
    bounded.settings.limits.replyBytes = replyBytes
    bounded.settings.limits.replyElements = replyElements
    return bounded
  }

  /// A task that is cancelled gives up at once.
  func open(_ target: Target) async throws(RedisDisconnection) -> OpenConnection {
    if case .failure(let error)? = tls { throw .tls(reason: "\(error)") }
    let promise = loop.makePromise(of: OpenConnection.self)
    do {
      return try await withTaskCancellationHandler {
        let timeout = loop.scheduleTask(in: TimeAmount(settings.connectTimeout)) {
          promise.fail(RedisDisconnection.connectTimedOut)
        }
        promise.futureResult.whenComplete { _ in timeout.cancel() }
        connect(target).flatMap { finish($0, promise) }.cascade(to: promise)
        return try await promise.futureResult.get()
      } onCancel: {
        promise.fail(RedisDisconnection.shutDown)
      }
    } catch {
      throw Self.disconnection(error)
    }
  }

  private func connect(_ target: Target) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(TimeAmount(settings.connectTimeout))
      .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel, target) } }
    switch target {
    case .tcp(let address):
      return bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: address.host, port: address.port)
    case .unixSocket(let path): return bootstrap.connect(unixDomainSocketPath: path)
    }
  }

  /// Called for each address that is tried; the first that answers wins (RFC 8305).
  private func prepare(_ channel: any Channel, _ target: Target) throws {
    let pipeline = channel.pipeline.syncOperations
    if let tls {
      guard case .tcp(let address) = target else { throw RedisDisconnection.tls(reason: "no TLS over Unix sockets") }
      try pipeline.addHandler(TLSHandler(try tls.get().connect(to: settings.tls?.serverName ?? address.host)))
    }
    try pipeline.addHandler(CommandHandler(channel, settings))
  }

  /// Called for the one that won; closes it when it is not awaited any more.
  private func finish(
    _ channel: any Channel, _ promise: EventLoopPromise<OpenConnection>
  ) -> EventLoopFuture<OpenConnection> {
    promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
    let tls = try? channel.pipeline.syncOperations.handler(type: TLSHandler.self)
    let handshake = tls?.waitForHandshake(TimeAmount(settings.connectTimeout), channel)
    return (handshake ?? loop.makeSucceededVoidFuture()).flatMapThrowing {
      let handler = try channel.pipeline.syncOperations.handler(type: CommandHandler.self)
      return OpenConnection(loop: channel.eventLoop, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
    }
  }

  private static func disconnection(_ error: any Error) -> RedisDisconnection {
    switch error {
    case let error as RedisDisconnection: error
    case let error as TLSClientError: .tls(reason: "\(error)")
    case let error as TLSChannelError: RedisDisconnection(endOf: error)
    case let error as ChannelError where error.isConnectTimeout: .connectTimedOut
    case let error as NIOConnectionError: .unreachable(error.summary)
    default: .unreachable(systemMessage(of: error))
    }
  }
}

/// Only the system's message, where the system has failed.
private func systemMessage(of error: any Error) -> String {
  (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
}

extension RedisConnectionSettings.TLS {
  fileprivate func makeClient() throws(TLSClientError) -> TLSClient {
    try TLSClient(
      authorityFile: authorityFile,
      identity: identity.map { TLSClient.Identity(certificateFile: $0.certificateFile, keyFile: $0.keyFile) },
      remedy: "ca_file of [redis] names an authority of your own")
  }

  /// Reads the files as each client does, so that what is wrong with them is known before.
  public func checkFiles() throws(RedisDisconnection) {
    do throws(TLSClientError) {
      _ = try makeClient()
    } catch {
      throw .tls(reason: "\(error)")
    }
  }
}

extension ChannelError {
  fileprivate var isConnectTimeout: Bool {
    if case .connectTimeout = self { return true }
    return false
  }
}

extension NIOConnectionError {
  /// The first address' failure, or the resolver's.
  fileprivate var summary: String {
    let cause = connectionErrors.first?.error ?? dnsAError ?? dnsAAAAError
    return "\(host):\(port): \(cause.map { systemMessage(of: $0) } ?? "no address")"
  }
}
