public import MediaCore
public import RealtimeRuntime

/// Encodes the video of all cameras in one, while it is seen.
public struct Mosaic: Sendable {
  /// Takes what the cameras' pipelines capture, and no sound.
  public var pipeline: any CapturePipeline
  /// Where ``pipeline`` publishes its frames.
  public var bus: FrameBus
  /// What it encodes with where no viewer's path takes less.
  public var bitrate: Bitrate

  public init(pipeline: any CapturePipeline, bus: FrameBus, bitrate: Bitrate) {
    self.pipeline = pipeline
    self.bus = bus
    self.bitrate = bitrate
  }
}
