import MediaCore

/// One call as the media side knows it.
struct MediaSession {
  /// What may be sent, as the policy has it.
  var publish: Set<MediaKind>
  /// What the other side offered in a way that cannot be agreed to, and does not know of yet.
  var unbundledKinds: Set<MediaKind> = []
  /// The other side may send sound, as far as it is agreed.
  var receivesSound = false
  /// The caller's sound is played.
  var mayTalk: Bool
  /// But not while so many others talk.
  var maxTalkers = Int.max
  /// Media flows.
  var isConnected = false
  /// A signal is played when media flows.
  var playsTone: Bool
}
