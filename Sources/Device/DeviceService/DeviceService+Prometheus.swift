import ControlAPI
import DeviceConfiguration
import EngineControl
import Logging

extension DeviceService {
  /// Serves metrics where configured; nothing depends on it, so that a port that is taken is only logged.
  func servePrometheus(_ control: EngineControl) async {
    guard let address = configuration.telemetry.prometheus else { return }
    do {
      let server = PrometheusServer(try LocalHTTPServer.Place(address, .monitor), logger: logger) {
        try await control.telemetry()
      }
      try await server.run()
    } catch is CancellationError {
    } catch {
      logger.error("no figures for Prometheus: \(error); see prometheus in [telemetry]")
    }
  }
}
