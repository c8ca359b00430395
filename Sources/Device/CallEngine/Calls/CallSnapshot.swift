public import HubClient
public import MediaCore
public import MediaPlaneAPI
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

  /// The one at the other end.
  public var party: CallParty { receiver ?? caller }
}

/// A line of text chat.
public struct ChatMessage: Sendable, Equatable {
  public var sessionID: SessionID
  /// The sender; `nil` for this device before it knows its own id.
  public var userID: String?
  public var isOutgoing: Bool
  public var text: String
}

/// What happens in the engine, for those who watch.
public enum EngineEvent: Sendable, Equatable {
  /// A call came in; what becomes of it follows.
  case incoming(CallSnapshot)
  /// A call entered another phase; the first one of a call that this device places.
  case call(CallSnapshot)
  /// Several are being called, one of them has answered, or it is over.
  case hunt(HuntSnapshot)
  case chat(ChatMessage)
  case muted(MuteTarget, isMuted: Bool)
  /// Pictures come from another camera, because somebody asked for it.
  case cameraSwapped(name: String)
  case archiveStarted(archiveID: ArchiveID, sessionID: SessionID?)
  case archiveStopped(archiveID: ArchiveID, sessionID: SessionID?, status: ArchiveStatus)
  case hub(isConnected: Bool)
  /// A line about a camera, a sound card or the disk.
  case source(text: String)
}

/// What is known of the positions that a receiver tells.
public struct PositionReport: Sendable, Equatable {
  /// Seconds since the last plausible one; nil if there was none.
  public var age: Int?
  /// Whether that is too long ago for it to be published.
  public var isStale: Bool
  /// Positions that were left out because they cannot be true.
  public var refusedCount: Int
  /// Why the newest was left out; nil if it was not.
  public var doubt: String?
}

/// The engine at one moment.
public struct EngineStatus: Sendable {
  public var title: String
  public var userID: String?
  /// The title under which others see the device; `nil` before the first login.
  public var hubTitle: String?
  public var isHubConnected: Bool
  /// Why others cannot see or call the device, in words for people.
  public var outage: String?
  /// The last time without the hub, also when it is over.
  public var lastOutage: HubOutage?
  /// Whether rules that look at hours can match.
  public var isClockSynchronized: Bool
  public var calls: [CallSnapshot]
  /// How many calls there may be at the same time.
  public var maximumSessions: Int
  /// The hunts that run, and of each name the one that ended last.
  public var hunts: [HuntSnapshot]
  public var muted: MuteState
  public var media: MediaPlaneStatus
  /// What a receiver says of the place; nil where none is asked.
  public var position: PositionReport?
  /// What continuous recording does, in words for people; `nil` when it is not wanted.
  public var continuousRecording: String?
  /// When the status was taken.
  public var now: MonotonicInstant
}
