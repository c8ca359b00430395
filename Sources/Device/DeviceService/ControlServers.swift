import ControlAPI
import DeviceConfiguration
import EngineControl
import Logging

/// The control socket, and the one for those who only watch.
struct ControlServers: Sendable {
  private let servers: [ControlServer]
  private let logger: Logger

  /// Takes the sockets that systemd passes, or makes those that the configuration names.
  init(
    _ control: EngineControl, _ settings: ControlSettings, _ options: DeviceService.Options, _ logger: Logger
  ) throws(DeviceServiceError) {
    self.logger = logger
    let (environment, info) = (options.environment, ServiceInfo(version: options.version))
    do {
      let socket =
        try ControlSocket.inherited(environment: { environment[$0] }) ?? ControlSocket.bind(path: settings.socket)
      let server = ControlServer(socket: socket, control: control, info: info, logger: logger)
      let monitor = Self.monitorSocket(settings, environment, logger).map { socket in
        ControlServer(
          socket: socket, control: control, info: info, access: .monitoring, limits: .monitoring, logger: logger)
      }
      servers = [server] + [monitor].compactMap(\.self)
    } catch {
      throw .failure("\(error)")
    }
  }

  /// Nothing depends on it.
  private static func monitorSocket(
    _ settings: ControlSettings, _ environment: [String: String], _ logger: Logger
  ) -> ControlSocket? {
    do {
      return try ControlSocket.inherited(.monitor, environment: { environment[$0] })
        ?? settings.monitorSocket.map { path throws(ControlSocketError) in
          try ControlSocket.bind(.monitor, path: path)
        }
    } catch {
      logger.error("there is no monitor socket: \(error)")
      return nil
    }
  }

  /// Serves until the task is cancelled; without sockets the daemon still takes calls.
  func run() async {
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
