public import MediaCore
import RealtimeRuntime

/// What an archive has to know of a stream.
public struct ArchiveStreamDescription: Hashable, Sendable {
  /// How much of what a pre-roll keeps a stream begins with; with video it is up to a key frame more.
  public enum History: Hashable, Sendable {
    case all
    case nothing
    /// This much before its own first frame.
    case span(TimeSpan)
    case since(MonotonicInstant)
  }

  /// The device's own stream.
  public static let deviceID = "device"
  /// Of the party that called the device.
  public static let callerID = "caller"
  /// Of the party that the device has called.
  public static let receiverID = "receiver"
  /// All others are further cameras', which are named as the cameras are.
  static let partyIDs: Set = [deviceID, callerID, receiverID]

  /// Becomes the files' name, so it has to be like an ``ArchiveID``.
  public var streamID: String
  /// What the integrator attached to the connection.
  public var connectionData: String
  /// The further camera that the stream shows; nil for all others.
  public var camera: String?
  public var hasAudio: Bool
  public var hasVideo: Bool
  /// What the stream may write on average, `nil` for no limit; of what is more, video is left out up to a key frame.
  public var maximumBitrate: Bitrate?
  public var history = History.all
  /// Only the lowest temporal layer of video, which is decoded without the others.
  public var isThinned = false
  /// Few frames, shown fast; no sound and no history.
  public var timeLapse: TimeLapse?

  public init(
    streamID: String, connectionData: String = "", hasAudio: Bool = true, hasVideo: Bool = true,
    maximumBitrate: Bitrate? = nil
  ) {
    self.streamID = streamID
    self.connectionData = connectionData
    self.hasAudio = hasAudio
    self.hasVideo = hasVideo
    self.maximumBitrate = maximumBitrate
  }
}

/// What a stream needs to be added to an archive.
struct ArchiveStreamRequest: Sendable {
  var description: ArchiveStreamDescription
  var inbox: FrameInbox
  var preRoll: PreRoll?
  var requestKeyFrame: @Sendable () -> Void
}
