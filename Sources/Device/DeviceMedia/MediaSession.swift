import MediaCore

/// One call as the media side knows it.
struct MediaSession {
  /// What may be sent, as the policy has it.
  var publish: Set<MediaKind>
  /// What the other side offered in a way that cannot be agreed to, and does not know of yet.
  var unbundledKinds: Set<MediaKind> = []
  /// The caller's sound is played.
  var mayTalk: Bool
  /// A signal is played when media flows.
  var playsTone: Bool
}
