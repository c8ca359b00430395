public import ControlMessages
public import Logging
public import NIOCore
import NIOPosix
import Synchronization

/// The Varlink service `org.livesessions.Device` on a Unix socket.
///
/// It translates; what is done lies with the ``DeviceControl`` behind it. Clients are bounded in number, message size,
/// nesting and time, and one that reads too slowly is dropped, so that none can hold up the daemon or another client.
public final class ControlServer: Sendable {
  private let socket: ControlSocket
  private let control: any DeviceControl
  private let info: ServiceInfo
  private let access: ControlAccess
  private let limits: ControlServerLimits
  private let logger: Logger
  private let group: any EventLoopGroup
  private let feed: MonitorFeed
  private let clientCount = Mutex(0)

  /// - Parameter group: where the sockets live; by default the process's shared loops.
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
    self.group = group ?? MultiThreadedEventLoopGroup.singleton
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
      tasks.addTask { try await self.acceptClients(of: server) }
      // Events may end early; clients are still served.
      try await tasks.waitForAll()
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

  private func serve(_ client: ClientChannel) async {
    let count = clientCount.withLock { count in
      count += 1
      return count
    }
    defer { clientCount.withLock { $0 -= 1 } }
    guard count <= limits.clients else {
      logger.notice("too many control clients", metadata: ["limit": "\(limits.clients)"])
      try? await client.executeThenClose { _, _ in }
      return
    }
    let connection = ControlConnection(
      channel: client, dispatcher: MethodDispatcher(control: control, info: info, access: access),
      feed: feed, logger: await clientLogger(client.channel))
    await connection.run()
  }

  /// A logger whose lines name who asked.
  private func clientLogger(_ channel: any Channel) async -> Logger {
    var logger = logger
    let peer = try? await PeerCredentials.read(from: channel)
    logger[metadataKey: "uid"] = peer.map { "\($0.userID)" } ?? "unknown"
    logger[metadataKey: "pid"] = peer.map { "\($0.processID)" } ?? "unknown"
    return logger
  }
}
