import CallPolicy
import ControlAPI
import ControlMessages
import DeviceConfiguration
import EngineControl
import Logging
import MediaPlaneAPI
import RealtimeRuntime
import SystemSupport

/// Control by HTTP. Nothing depends on it: where it cannot listen, that is a problem in the status, and it tries again.
final class HTTPControl: ProblemReporting {
  private static let retryInterval = Duration.seconds(30)

  private let settings: HTTPSettings
  private let logger: Logger
  private let noted = Mutex<ProblemStatus?>(nil)

  init(_ settings: HTTPSettings, _ logger: Logger) {
    self.settings = settings
    self.logger = logger
  }

  var problem: ProblemStatus? { noted.withLock { $0 } }

  /// Serves until the task is cancelled.
  func run(_ control: EngineControl) async {
    guard let address = settings.listen else { return }
    var control = control
    control.requester = .http
    while !Task.isCancelled {
      do {
        // A token that is missing is better said now than at the first request.
        if let path = settings.tokenFile { _ = try HTTPSettings.token(path: path) }
        let server = ControlHTTPServer(
          try LocalHTTPServer.Place(address, .control), control: control, permission: permission, logger: logger)
        try await server.run { _ in self.end() }
      } catch is CancellationError {
        return
      } catch {
        note("\(error); see [http]")
      }
      try? await Task.sleep(for: Self.retryInterval)
    }
  }

  private var permission: ControlHTTPServer.Permission {
    let access: ControlAccess =
      switch settings.access {
      case .full: .full
      case .monitoring: .monitoring
      }
    guard let path = settings.tokenFile else { return ControlHTTPServer.Permission(access: access, token: nil) }
    return ControlHTTPServer.Permission(access: access) { try HTTPSettings.token(path: path) }
  }

  private func note(_ text: String) {
    let isNew = noted.withLock { noted in
      guard noted?.lasts != true || noted?.text != text else { return false }
      noted = ProblemStatus(part: .http, text: text, since: wallClockMilliseconds())
      return true
    }
    if isNew { logger.error("no control by HTTP: \(text)") }
  }

  private func end() {
    noted.withLock { noted in
      if noted?.lasts == true { noted?.until = wallClockMilliseconds() }
    }
  }
}

extension LocalHTTPServer.Place {
  init(_ address: LocalAddress, _ door: ControlSocket.Door) throws(ControlSocketError) {
    switch address {
    case .loopback(let endpoint): self = .loopback(host: endpoint.host, port: Int(endpoint.port))
    case .unix(let path): self = .unix(try ControlSocket.bind(door, path: path))
    }
  }
}
