public import DeviceConfiguration
public import HubClient
public import Logging
public import MediaPlaneAPI
public import Signalling

/// Snapshots of the cameras for operators at the hub.
public struct HubSnapshots: SnapshotProviding {
  public let cameras: [CameraName]
  private let snapshots: any SnapshotTaking
  private let logger: Logger

  /// Nil where the configuration does not allow that.
  public init?(_ snapshots: any SnapshotTaking, _ configuration: DeviceConfiguration, _ logger: Logger) {
    guard configuration.hub.showsSnapshots else { return nil }
    cameras = [.main] + configuration.cameras.compactMap { CameraName($0.name) }
    self.snapshots = snapshots
    self.logger = logger
    let names = cameras.map(\.text).joined(separator: ", ")
    logger.notice("operators at the hub may request snapshots of: \(names) ([hub] snapshots)")
  }

  public func snapshot(of camera: CameraName) async -> [UInt8]? {
    let title = camera == .main ? "the camera" : "camera \(camera)"
    do throws(SnapshotError) {
      return try await snapshots.take(of: camera == .main ? nil : camera.text)
    } catch {
      logger.info("an operator at the hub requested a snapshot of \(title): \(error)")
      return nil
    }
  }
}
