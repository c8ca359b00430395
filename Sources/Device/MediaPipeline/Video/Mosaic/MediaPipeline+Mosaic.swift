public import RealtimeRuntime

/// One of the cameras of a mosaic.
public struct MosaicCamera: Sendable {
  /// Shown while there is no video.
  public var name: String
  /// Where its frames come from: one of the ``MediaObservers`` of the camera's pipeline.
  public var tap: FrameTap

  public init(name: String, tap: FrameTap) {
    self.name = name
    self.tap = tap
  }
}

extension MediaPipeline {
  /// The maximum frame rate of a mosaic: it is for an overview, and half of the usual rate is half of the work.
  public static let mosaicFrameRate = 15

  /// Encodes the frames of several cameras in one, which others capture, between ``start(_:)`` and ``stop(_:)``.
  ///
  /// - Parameters:
  ///   - cameras: four at most are shown.
  ///   - configuration: size, rate and bit rate of the mosaic; has no sound.
  public convenience init(
    mosaic cameras: [MosaicCamera], configuration: MediaPipelineConfiguration, bus: FrameBus
  ) {
    var settings = configuration
    // The one that is opened in the place of a camera.
    (settings.cameras, settings.microphone, settings.privacyAreas) = ([.testBars], .none, [])
    settings.frameRate = min(settings.frameRate, Self.mosaicFrameRate)
    self.init(configuration: settings, bus: bus) { request in MosaicSource(cameras, request) }
  }
}
