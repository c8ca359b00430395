public import MediaCore

/// Where pictures come from.
public enum VideoSourceSelection: Hashable, Sendable {
  /// The first camera that can be used, else the test picture.
  case automatic
  /// A device node or a link to one.
  case camera(path: String)
  case testBars
  case none

  /// Reads `auto`, a path, `test:bars` or `none`; nil for anything else.
  public init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "test:bars": self = .testBars
    case "none": self = .none
    case _ where text.hasPrefix("/"): self = .camera(path: text)
    default: return nil
    }
  }
}

/// What a ``MediaPipeline`` captures and how it encodes.
public struct MediaPipelineConfiguration: Sendable {
  public var camera: VideoSourceSelection
  public var microphone: AudioSourceSelection
  /// The picture asked for; a camera may deliver another.
  public var width: Int
  public var height: Int
  public var frameRate: Int
  public var videoBitrate: Bitrate
  public var audioBitrate: Bitrate
  /// 1 or 2.
  public var channels: Int
  public var temporalLayers: Int
  /// A key frame comes at the latest this long after the last one.
  public var maximumKeyFrameInterval: TimeSpan
  public var usesDiscontinuousTransmission: Bool

  public init(
    camera: VideoSourceSelection = .automatic, microphone: AudioSourceSelection = .automatic, width: Int = 640,
    height: Int = 480, frameRate: Int = 30, videoBitrate: Bitrate = .kilobits(800),
    audioBitrate: Bitrate = .kilobits(32), channels: Int = 1, temporalLayers: Int = 1,
    maximumKeyFrameInterval: TimeSpan = .seconds(4), usesDiscontinuousTransmission: Bool = false
  ) {
    self.camera = camera
    self.microphone = microphone
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.videoBitrate = videoBitrate
    self.audioBitrate = audioBitrate
    self.channels = channels
    self.temporalLayers = temporalLayers
    self.maximumKeyFrameInterval = maximumKeyFrameInterval
    self.usesDiscontinuousTransmission = usesDiscontinuousTransmission
  }
}
