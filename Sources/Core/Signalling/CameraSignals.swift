/// The type of the signal by which a device offers the party of a call a choice of cameras.
public enum CameraSignal {
  /// From the device when the call is connected, and after a choice at the device: ``CameraOffer``.
  public static let offer = "cameras"
}

/// What the party may choose by the control `choose-camera`, whose target is one of the names.
public struct CameraOffer: Codable, Sendable, Hashable {
  public var cameras: [String]
  /// What the party sees now.
  public var camera: String

  public init(cameras: [String], camera: String) {
    self.cameras = cameras
    self.camera = camera
  }
}
