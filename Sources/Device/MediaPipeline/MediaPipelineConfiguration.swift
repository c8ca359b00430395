public import AudioProcessing
public import MediaCore
public import V4L2Capture

/// The source of video.
public enum VideoSourceSelection: Hashable, Sendable {
  /// The first camera that can be used. Test bars until there is one; when that vanishes, whichever comes next.
  case automatic
  /// A device node or a link to one.
  case camera(path: String)
  /// A YUV4MPEG2 file (4:2:0 with 8 bits, or mono), shown over and over or once.
  case file(path: String, repeats: Bool)
  case testBars
  case testStreet
  /// What a program writes.
  case program(VideoProgram)
  case none

  private static let filePrefix = "file:"
  private static let onceSuffix = "#once"

  /// Reads `auto`, a path, `file:` and a path with or without `#once`, `test:bars`, `test:street` or `none`; nil for anything else.
  public init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "test:bars": self = .testBars
    case "test:street": self = .testStreet
    case "none": self = .none
    case _ where text.hasPrefix("/"): self = .camera(path: text)
    case _ where text.hasPrefix(Self.filePrefix):
      let isOnce = text.hasSuffix(Self.onceSuffix)
      let path = text.dropFirst(Self.filePrefix.count).dropLast(isOnce ? Self.onceSuffix.count : 0)
      guard !path.isEmpty else { return nil }
      self = .file(path: String(path), repeats: !isOnce)
    default: return nil
    }
  }

  /// The text that ``init(_:)`` reads, but for a program's.
  public var name: String {
    switch self {
    case .automatic: "auto"
    case .camera(let path): path
    case .file(let path, let repeats): Self.filePrefix + path + (repeats ? "" : Self.onceSuffix)
    case .testBars: "test:bars"
    case .testStreet: "test:street"
    case .program(let program): program.name
    case .none: "none"
    }
  }
}

/// A part of a camera's frames that must not be visible.
public struct PrivacyArea: Hashable, Sendable {
  public var polygon: FramePolygon
  /// One of the cameras configured; nil for all.
  public var camera: VideoSourceSelection?

  public init(_ polygon: FramePolygon, camera: VideoSourceSelection? = nil) {
    self.polygon = polygon
    self.camera = camera
  }
}

/// What a ``MediaPipeline`` captures and how it encodes.
public struct MediaPipelineConfiguration: Sendable {
  /// The cameras to choose from, at least one; the first one is used until they are swapped. `[.none]`: no video.
  public var cameras: [VideoSourceSelection]
  /// The only pixel format to take of a camera, by its V4L2 code such as `YUYV`; nil for the one with the least
  /// conversion.
  public var pixelFormat: String?
  /// What is set at a camera before its frames are taken.
  public var cameraSetup = CameraSetup()
  public var microphone: AudioSourceSelection
  /// The size requested; a camera may deliver another.
  public var width: Int
  public var height: Int
  public var frameRate: Int
  public var videoBitrate: Bitrate
  public var audioBitrate: Bitrate
  /// 1 or 2.
  public var channels: Int
  /// 1 to 3.
  public var temporalLayers: Int
  /// Whether still parts of a scene are encoded once, without their noise.
  public var findsStillness = true
  public var usesDiscontinuousTransmission: Bool
  /// How the loudspeaker's echo is cancelled, where a microphone picks it up.
  public var echoControl = EchoControlSettings()
  /// Covered as soon as a frame is there, before anything else is done with it.
  public var privacyAreas: [PrivacyArea] = []

  public init(
    cameras: [VideoSourceSelection] = [.automatic], pixelFormat: String? = nil,
    microphone: AudioSourceSelection = .automatic, width: Int = 640,
    height: Int = 480, frameRate: Int = 30, videoBitrate: Bitrate = .kilobits(800),
    audioBitrate: Bitrate = .kilobits(32), channels: Int = 1, temporalLayers: Int = 1,
    usesDiscontinuousTransmission: Bool = false
  ) {
    precondition(!cameras.isEmpty)
    self.cameras = cameras
    self.pixelFormat = pixelFormat
    self.microphone = microphone
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.videoBitrate = videoBitrate
    self.audioBitrate = audioBitrate
    self.channels = channels
    self.temporalLayers = temporalLayers
    self.usesDiscontinuousTransmission = usesDiscontinuousTransmission
  }
}
