public import Signalling

/// Provides snapshots of the cameras to the hub.
public protocol SnapshotProviding: Sendable {
  /// Those with snapshots, the main one first.
  var cameras: [CameraName] { get }
  /// A JPEG, within some seconds; nil where there is none, which is logged. Opens nothing for a name that is not among
  /// ``cameras``, for which there is none either.
  func snapshot(of camera: CameraName) async -> [UInt8]?
}
