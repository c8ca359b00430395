public import MediaCore
public import Signalling

/// One call as displays show it.
public struct CallSnapshot: Sendable, Equatable {
  public var sessionID: SessionID
  public var caller: CallParty
  /// Whom this device calls; nil when the call came in.
  public var receiver: CallParty?
  public var isAudio: Bool
  public var isVideo: Bool
  /// When the call came in, or was asked for.
  public var startedAt: MonotonicInstant
  public var phase: CallPhase
  /// The policy rule that decided; `nil` when the default did.
  public var ruleName: String?
  /// The archive that runs, if any.
  public var archiveID: ArchiveID?
  /// The name of what the other party sees of the device; nil where the call carries no video.
  public var camera: String?
  /// How many phones of the other party ring, besides its pages; nil for none.
  public var phones: Int?
  /// How many pages of the other party see the preview while it rings.
  public var previews = 0
  /// What the call lacks, why, and what helps, for people.
  public var notes: [String] = []

  /// The one at the other end.
  public var party: CallParty { receiver ?? caller }
}
