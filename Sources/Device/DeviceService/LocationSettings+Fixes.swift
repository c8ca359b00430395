import DeviceConfiguration
import GPSDLocation
import Logging
import MediaCore

extension LocationSettings {
  /// The fixes of gpsd; nil where it is not to be asked.
  func fixes(_ logger: Logger) -> AsyncStream<PositionFix>? {
    guard let gpsd else { return nil }
    return GPSDLocation(host: gpsd.host, port: gpsd.port).fixes { change in
      switch change {
      case .connected: logger.info("gpsd is there")
      case .disconnected(let cause): logger.info("no gpsd, presence continues without moves: \(cause)")
      case .unbelievable:
        logger.warning(
          "gpsd reports positions off the globe, or without error estimate and satellites; they are left out")
      }
    }
  }
}
