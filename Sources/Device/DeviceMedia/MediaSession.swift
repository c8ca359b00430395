import Archive
import MediaCore
import MediaPipeline
import RealtimeRuntime

/// One call as the media side knows it.
struct MediaSession {
  /// What may be sent, as the policy has it.
  var publish: Set<MediaKind>
  /// What the other side wants of it.
  var sends: Set<MediaKind> = []
  /// What the other side offered in a way that cannot be agreed to, and does not know of yet.
  var unbundledKinds: Set<MediaKind> = []
  /// The caller's sound is played.
  var mayTalk: Bool
  /// A signal is played when media flows.
  var playsTone: Bool
  var isConnected = false
  /// Candidates that were found while an offer is being made; nil while none is.
  var heldCandidates: [String]?
  /// The loudspeaker of this call, once media flows.
  var playout: AudioPlayout?
  /// Bytes.
  var sent = RateMeter()
  var received = RateMeter()
}

/// One running archive and the inbox through which it receives the device's own streams.
struct RunningArchive {
  var recorder: ArchiveRecorder
  var sessionID: String
  var startedAt = MonotonicClock.now()
  var local: FrameInbox
  /// What it records of the device.
  var kinds: Set<MediaKind>
}
