import RealtimeRuntime

/// What a stream needs to be added to an archive.
struct ArchiveStreamRequest: Sendable {
  var streamID: String
  var connectionData: String
  var hasAudio: Bool
  var hasVideo: Bool
  var inbox: FrameInbox
  var preRoll: PreRoll?
  var requestKeyFrame: @Sendable () -> Void
}
