/// The type of the signal by which a device tells the party of a call that it may choose what it sees.
public enum CameraSignal {
  /// From the device when the call is connected, and when somebody at the device has chosen: ``CameraOffer``.
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
