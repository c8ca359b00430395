internal import Foundation
internal import HubCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// Reports the hub's state to each client of a Unix socket: one line of JSON (``HubCore/HubStatus``), and the end.
///
/// Nothing is read, so there is nothing to attack; who may ask is a matter of the file's mode (0660).
struct StatusSocket: Service {
  let path: String
  let logger: Logger
  let report: @Sendable () async -> HubStatus

  func run() async throws {
    let desk = StatusServer(report: report)
    guard let channel = await open(desk) else { return try await gracefulShutdown() }
    await cancelWhenGracefulShutdown { await desk.run() }
    try? await channel.close()
    unlink(path)
  }

  /// Nil when it cannot be opened, which is logged: the hub works without.
  private func open(_ desk: StatusServer) async -> (any Channel)? {
    do {
      guard await !isAnswered() else { throw StatusSocketError.isTaken }
      let channel = try await bootstrap(desk).bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
      guard chmod(path, 0o660) == 0 else { throw StatusSocketError.mode(errno) }
      return channel
    } catch {
      logger.error("status_socket \(path): \(error); livesessions-hub status will find nothing there")
      return nil
    }
  }

  private func bootstrap(_ desk: StatusServer) -> ServerBootstrap {
    ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 8)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(StatusHandler(desk: desk))
        }
      }
  }

  /// Whether another hub answers here; a file that a hub has left behind is replaced.
  private func isAnswered() async -> Bool {
    let connection = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(unixDomainSocketPath: path).get()
    try? await connection?.close()
    return connection != nil
  }
}

private enum StatusSocketError: Error, CustomStringConvertible {
  case isTaken
  case mode(Int32)

  var description: String {
    switch self {
    case .isTaken: "another hub answers there; give each node its own status_socket"
    case .mode(let code): "its mode cannot be set (\(String(cString: strerror(code))))"
    }
  }
}
