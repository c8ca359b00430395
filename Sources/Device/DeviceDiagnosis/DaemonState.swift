import ControlMessages

/// What the daemon reports about itself.
enum DaemonState: Sendable {
  case stopped
  case running(DeviceStatus, DeviceTelemetry?)
  /// It is there, but did not answer.
  case silent(String)

  /// Asks it, for a few seconds at most.
  init(socket: String) {
    do throws(ControlClientError) {
      var client = try ControlClient(path: socket)
      let status = try client.call(.status, timeout: .seconds(3)).status
      // A daemon of an earlier version has no figures.
      let figures = try? client.call(.getTelemetry, timeout: .seconds(3)).telemetry
      self = .running(status, figures)
    } catch {
      if case .notRunning = error { self = .stopped } else { self = .silent(error.description) }
    }
  }

  var status: DeviceStatus? { if case .running(let status, _) = self { status } else { nil } }
  var figures: DeviceTelemetry? { if case .running(_, let figures) = self { figures } else { nil } }
  /// Whether it may hold devices, so that they had better be left alone.
  var isThere: Bool { if case .stopped = self { false } else { true } }
}
