public import MediaCore

/// One call as displays show it.
public struct CallSnapshot: Sendable, Equatable {
  public var sessionID: String
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
  public var archiveID: String?

  /// The one at the other end.
  public var party: CallParty { receiver ?? caller }
}

/// A line of text chat.
public struct ChatMessage: Sendable, Equatable {
  public var sessionID: String
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
  case chat(ChatMessage)
  case muted(MuteTarget, isMuted: Bool)
  /// Pictures come from another camera, because somebody asked for it.
  case cameraSwapped(name: String)
  case archiveStarted(archiveID: String, sessionID: String)
  case archiveStopped(archiveID: String, sessionID: String, status: String)
  case hub(isConnected: Bool)
  /// A line about a camera, a sound card or the disk.
  case source(text: String)
}

/// The engine at one moment.
public struct EngineStatus: Sendable {
  public var title: String
  public var userID: String?
  public var isHubConnected: Bool
  /// Whether rules that look at hours can match.
  public var isClockSynchronized: Bool
  public var calls: [CallSnapshot]
  public var muted: Set<MuteTarget>
  public var media: MediaPlaneStatus
  /// When the status was taken.
  public var now: MonotonicInstant
}
