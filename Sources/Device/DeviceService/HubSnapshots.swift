import DeviceConfiguration
import HubClient
import Logging
import MediaPlaneAPI

/// Pictures of the camera for operators at the hub.
struct HubSnapshots: SnapshotProviding {
  private let snapshots: any SnapshotTaking
  private let logger: Logger

  /// Nil where the configuration does not allow that.
  init?(_ snapshots: any SnapshotTaking, _ settings: HubSettings, _ logger: Logger) {
    guard settings.showsSnapshots else { return nil }
    self.snapshots = snapshots
    self.logger = logger
  }

  func snapshot() async -> [UInt8]? {
    do throws(SnapshotError) {
      let picture = try await snapshots.take(of: nil)
      logger.info("an operator at the hub was shown a picture of the camera")
      return picture
    } catch {
      logger.info("an operator at the hub asked for a picture: \(error)")
      return nil
    }
  }
}
