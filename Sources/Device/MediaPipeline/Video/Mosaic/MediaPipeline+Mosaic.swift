public import RealtimeRuntime

/// One of the cameras of a mosaic.
public struct MosaicCamera: Sendable {
  /// Shown while there are no pictures.
  public var name: String
  /// Where its pictures come from: one of the ``MediaObservers`` of the camera's pipeline.
  public var tap: FrameTap

  public init(name: String, tap: FrameTap) {
    self.name = name
    self.tap = tap
  }
}

extension MediaPipeline {
  /// Pictures a second of a mosaic at most: it is for looking around, and half of the usual rate is half of the work.
  public static let mosaicFrameRate = 15

  /// Encodes the pictures of several cameras in one, which others capture, between ``start(_:)`` and ``stop(_:)``.
  ///
  /// - Parameters:
  ///   - cameras: four at most are shown.
  ///   - configuration: size, rate and bit rate of the one picture; has no sound.
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
