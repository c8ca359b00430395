public import DeviceConfiguration
public import MediaPipeline
public import Signalling
public import VideoOverlay

extension StampedPosition {
  public init(_ location: UserLocation) { self.init(latitude: location.latitude, longitude: location.longitude) }
}

extension OverlaySettings {
  public func makeOverlay() -> FrameOverlay {
    FrameOverlay(
      FrameOverlaySettings(
        title: titleCodes, showsTime: showsTime, showsPosition: showsPosition, corner: corner, size: size))
  }
}
