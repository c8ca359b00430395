import MediaCore
import RealtimeRuntime

/// What a stream needs to be added to an archive.
struct ArchiveStreamRequest: Sendable {
  var streamID: String
  var connectionData: String
  var hasAudio: Bool
  var hasVideo: Bool
  var inbox: FrameInbox
  var preRoll: PreRoll?
  /// What the stream may take on average; `nil` for as much as it likes.
  var maximumBitrate: Bitrate?
  var requestKeyFrame: @Sendable () -> Void
}
