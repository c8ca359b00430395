public import ControlMessages
public import Logging

/// The control socket, and the one for those who only watch.
public struct ControlServers: Sendable {
  /// Where the sockets are: those that systemd passes come first.
  public struct Places: Sendable {
    public var control: String
    /// Nil for none.
    public var monitor: String?
    /// Of the process; names what systemd has passed.
    public var environment: [String: String]

    public init(control: String, monitor: String?, environment: [String: String]) {
      self.control = control
      self.monitor = monitor
      self.environment = environment
    }
  }

  private let servers: [ControlServer]
  private let logger: Logger

  /// Takes the sockets that systemd passes, or makes those that are named.
  public init(
    _ control: any DeviceControl, at places: Places, info: ServiceInfo, logger: Logger
  ) throws(ControlSocketError) {
    self.logger = logger
    let environment = places.environment
    let passed = ControlSocket.inherited(environment: { environment[$0] })
    let socket = if let passed { passed } else { try ControlSocket.bind(path: places.control) }
    let server = ControlServer(socket: socket, control: control, info: info, logger: logger)
    let monitor = Self.monitorSocket(places, logger).map { socket in
      ControlServer(
        socket: socket, control: control, info: info, access: .monitoring, limits: .monitoring, logger: logger)
    }
    servers = [server] + [monitor].compactMap(\.self)
  }

  /// Nothing depends on it.
  private static func monitorSocket(_ places: Places, _ logger: Logger) -> ControlSocket? {
    let environment = places.environment
    do {
      return try ControlSocket.inherited(.monitor, environment: { environment[$0] })
        ?? places.monitor.map { path throws(ControlSocketError) in
          try ControlSocket.bind(.monitor, path: path)
        }
    } catch {
      logger.error("there is no monitor socket: \(error)")
      return nil
    }
  }

  /// Serves until the task is cancelled; without sockets the daemon still takes calls.
  public func run() async {
    await withDiscardingTaskGroup { group in
      for server in servers { group.addTask { await serve(server) } }
    }
  }

  private func serve(_ server: ControlServer) async {
    do {
      try await server.run()
    } catch is CancellationError {
    } catch {
      logger.error("a control socket is closed: \(error)")
    }
  }
}
