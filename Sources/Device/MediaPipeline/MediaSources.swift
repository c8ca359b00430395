/// What a ``MediaPipeline`` captures from.
public struct MediaSources: Hashable, Sendable {
  /// As of ``MediaPipelineConfiguration/cameras``.
  public var cameras: [VideoSourceSelection]
  public var microphone: AudioSourceSelection

  public init(cameras: [VideoSourceSelection], microphone: AudioSourceSelection) {
    precondition(!cameras.isEmpty)
    self.cameras = cameras
    self.microphone = microphone
  }
}

extension MediaPipelineConfiguration {
  /// Those to begin with.
  public var sources: MediaSources { MediaSources(cameras: cameras, microphone: microphone) }
}
