public import ControlMessages
public import Logging
public import NIOCore
import Glibc
import NIOPosix
import SystemSupport

/// The Varlink service `org.livesessions.Device` on a Unix socket.
///
/// It translates; what is done lies with the ``DeviceControl`` behind it. Clients are bounded in number, message size,
/// nesting and time, idle ones give way, and one that reads too slowly is dropped, so that none can hold up the daemon or another client.
public final class ControlServer: Sendable {
  /// One loop for all sockets of the process, which are seldom busy.
  private static let sharedLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private let socket: ControlSocket
  private let control: any DeviceControl
  private let info: ServiceInfo
  private let access: ControlAccess
  private let limits: ControlServerLimits
  private let logger: Logger
  private let group: any EventLoopGroup
  private let feed: MonitorFeed
  private let clients: ClientRegistry
  /// Refusals are logged once, until a client is admitted again.
  private let isFull = Mutex(false)

  /// - Parameter group: where the sockets live; by default one loop for all servers of the process.
  public init(
    socket: ControlSocket, control: any DeviceControl, info: ServiceInfo, access: ControlAccess = .full,
    limits: ControlServerLimits = ControlServerLimits(), logger: Logger,
    group: (any EventLoopGroup)? = nil
  ) {
    self.socket = socket
    self.control = control
    self.info = info
    self.access = access
    self.limits = limits
    self.logger = logger
    self.group = group ?? Self.sharedLoop
    clients = ClientRegistry(limits: limits, ownUserID: geteuid())
    feed = MonitorFeed(capacity: limits.queuedEvents)
  }

  /// Serves until the task is cancelled, then removes a socket file of its own. Call it once.
  public func run() async throws {
    defer { socket.removeFile() }
    let server = try await makeServerChannel()
    logger.info("\(access == .full ? "control" : "monitor") socket open", metadata: ["path": "\(socket.path)"])
    let events = await control.events()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { for await event in events { self.feed.publish(event) } }
      tasks.addTask {
        // Events may end early; clients are still served.
        try await self.acceptClients(of: server)
        return
      }
      tasks.addTask { try await self.closeIdleClients() }
      do {
        try await tasks.waitForAll()
      } catch is CancellationError {}
    }
  }

  private typealias ClientChannel = NIOAsyncChannel<[UInt8], ByteBuffer>

  private func makeServerChannel() async throws -> NIOAsyncChannel<ClientChannel, Never> {
    let limits = limits
    return try await ServerBootstrap(group: group).bind(socket.descriptor) { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(FramingHandler(limits: limits))
        return try ClientChannel(wrappingChannelSynchronously: channel)
      }
    }
  }

  private func acceptClients(of server: NIOAsyncChannel<ClientChannel, Never>) async throws {
    do {
      try await server.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { tasks in
          for try await client in clients { tasks.addTask { await self.serve(client) } }
        }
      }
    } catch is CancellationError {}
  }

  private func closeIdleClients() async throws {
    let interval = max(limits.idleTimeout / 4, .milliseconds(10))
    while true {
      try await Task.sleep(for: interval)
      clients.closeIdle(now: .now)
    }
  }

  private func serve(_ client: ClientChannel) async {
    let peer = try? await PeerCredentials.read(from: client.channel)
    let logger = logger(naming: peer)
    let channel = client.channel
    guard let ticket = clients.admit(userID: peer?.userID, now: .now, close: { channel.close(promise: nil) }) else {
      reportFullness(logger)
      try? await client.executeThenClose { _, _ in }
      return
    }
    isFull.withLock { $0 = false }
    defer { clients.remove(ticket) }
    let clients = clients
    let connection = ControlConnection(
      channel: client, dispatcher: MethodDispatcher(control: control, info: info, access: access), feed: feed,
      logger: logger, onBusy: { clients.setBusy(ticket, $0, now: .now) })
    await connection.run()
  }

  private func reportFullness(_ logger: Logger) {
    let isReported = isFull.withLock { isFull in
      defer { isFull = true }
      return isFull
    }
    guard !isReported else { return }
    // Who only watches could fill the journal by coming and going.
    logger.log(
      level: access == .monitoring ? .debug : .notice, "no place for a control client: all are busy",
      metadata: ["limit": "\(limits.clients)"])
  }

  /// A logger whose lines name who asked.
  private func logger(naming peer: PeerCredentials?) -> Logger {
    var logger = logger
    logger[metadataKey: "uid"] = peer.map { "\($0.userID)" } ?? "unknown"
    logger[metadataKey: "pid"] = peer.map { "\($0.processID)" } ?? "unknown"
    return logger
  }
}
