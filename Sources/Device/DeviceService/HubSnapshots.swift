import HubClient
import Logging
import MediaPlaneAPI

/// Pictures of the camera for operators at the hub.
struct HubSnapshots: SnapshotProviding {
  let snapshots: any SnapshotTaking
  let logger: Logger

  func snapshot() async -> [UInt8]? {
    do throws(SnapshotError) {
      let picture = try await snapshots.take()
      logger.info("an operator at the hub was shown a picture of the camera")
      return picture
    } catch {
      logger.info("an operator at the hub asked for a picture: \(error)")
      return nil
    }
  }
}
