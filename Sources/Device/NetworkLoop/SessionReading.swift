public import MediaCore

/// What has become known of a session's path since the last reading: the newest of each, nil where nothing
/// has.
public struct SessionReading: Sendable, Hashable {
  /// What may be sent, all streams together.
  public var estimate: Bitrate?
  /// How many percent of the sound's packets get lost on the way to the peer.
  public var soundLoss: Int?
  /// Whether the peer wants a key frame, or the encoder needs one after a loss.
  public var wantsKeyFrame: Bool

  public init(estimate: Bitrate? = nil, soundLoss: Int? = nil, wantsKeyFrame: Bool = false) {
    self.estimate = estimate
    self.soundLoss = soundLoss
    self.wantsKeyFrame = wantsKeyFrame
  }
}
