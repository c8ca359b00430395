public import EventDetection
public import MediaPlaneAPI
public import Signalling

/// What happens in the engine, for those who watch.
public enum EngineEvent: Sendable, Equatable {
  /// A call came in; its outcome follows.
  case incoming(CallSnapshot)
  /// A call entered another phase; the first one of a call that this device places.
  case call(CallSnapshot)
  /// Several are being called, one of them has answered, or it is over.
  case hunt(HuntSnapshot)
  case chat(ChatMessage)
  case muted(MuteTarget, isMuted: Bool)
  /// Video comes from another camera, on request.
  case cameraSwapped(name: String)
  case archiveStarted(archiveID: ArchiveID, sessionID: SessionID?)
  case archiveStopped(archiveID: ArchiveID, sessionID: SessionID?, status: ArchiveStatus)
  case hub(isConnected: Bool)
  case action(ActionUse)
  /// A source of events notices something, or it is over: then the event has an end.
  case detected(TimedEvent)
  /// A rule about events has something done, or it was not.
  case eventRule(EventRuleUse)
  /// A line about a camera, a sound card or the disk.
  case source(text: String)
}
