public import Signalling

/// Where pictures of the cameras come from, for the hub.
public protocol SnapshotProviding: Sendable {
  /// Of which there are pictures, the main one first.
  var cameras: [CameraName] { get }
  /// A JPEG, within some seconds; nil where there is none, which is logged. Opens nothing for a name that is not among
  /// ``cameras``, for which there is none either.
  func snapshot(of camera: CameraName) async -> [UInt8]?
}
