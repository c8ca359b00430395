/// Bytes of UTF-8 that a field of a message may have. The hub refuses longer ones; a device does not rely on that.
public enum MessageLimits {
  /// One candidate with its `sdpMid`.
  public static let candidate = 1_024
  /// An offer or an answer: a browser's with every codec and candidate has some 10 KiB.
  public static let description = 32 << 10
  public static let identifier = 128
  public static let title = 512
  /// A reason, an action, a target, a status.
  public static let code = 64
  public static let signalType = 128
  public static let signalData = 8_192
}

extension SessionCandidates.Candidate {
  /// What counts towards ``MessageLimits/candidate``.
  public var byteCount: Int { candidate.utf8.count + (sdpMid?.utf8.count ?? 0) }
}
