public import CallEngine
public import MediaCore
public import MediaPlaneAPI
import Signalling

/// Which sounds report near the device what happens; nil is none.
public struct EventSoundFiles: Sendable, Hashable {
  /// While a call waits for an answer at the device.
  public var ringing: RingSound?
  /// A recording of a call begins.
  public var recording: Announcement?
  /// A call is over in which media flowed.
  public var ended: Announcement?
  /// A call that the device placed was not answered.
  public var refused: Announcement?
  /// An action, such as the opening of a door, has been done.
  public var action: Announcement?

  public init(
    ringing: RingSound? = .tone, recording: Announcement? = nil, ended: Announcement? = nil,
    refused: Announcement? = nil, action: Announcement? = nil
  ) {
    self.ringing = ringing
    self.recording = recording
    self.ended = ended
    self.refused = refused
    self.action = action
  }
}

/// What is played after an event.
public enum EventSoundAction: Sendable, Hashable {
  /// Ring until ``stopRinging``.
  case ring(RingSound)
  case stopRinging
  case play(Announcement)
}

/// Decides which sound follows which event of the engine.
///
/// In quiet hours nothing rings, and the ends of calls are silent. The start of a recording is audible, since people
/// nearby should know, and so is a completed action, since its user waits for it.
public struct EventSounds: Sendable {
  private let files: EventSoundFiles
  private var ringing: Set<SessionID> = []
  /// Calls in which media flows.
  private var connected: Set<SessionID> = []

  public init(_ files: EventSoundFiles) { self.files = files }

  public mutating func take(_ event: EngineEvent, isQuiet: Bool) -> [EventSoundAction] {
    switch event {
    case .call(let snapshot): follow(snapshot, isQuiet: isQuiet)
    // What the device records on its own account, perhaps always, is no event to people near it.
    case .archiveStarted(_, .some): files.recording.map { [.play($0)] } ?? []
    case .action(let use) where use.refusal == nil: files.action.map { [.play($0)] } ?? []
    case .incoming, .hunt, .chat, .muted, .cameraSwapped, .archiveStarted, .archiveStopped, .hub, .action, .detected,
      .eventRule, .source:
      []
    }
  }

  private mutating func follow(_ call: CallSnapshot, isQuiet: Bool) -> [EventSoundAction] {
    let rings = followRinging(call, isQuiet: isQuiet)
    switch call.phase {
    case .connected:
      connected.insert(call.sessionID)
      return rings
    case .ended:
      guard let sound = connected.remove(call.sessionID) != nil ? files.ended : missed(call), !isQuiet else {
        return rings
      }
      return rings + [.play(sound)]
    case .delaying, .ringing, .answering, .offering, .calling, .alerting, .connecting: return rings
    }
  }

  private func missed(_ call: CallSnapshot) -> Announcement? { call.receiver == nil ? nil : files.refused }

  private mutating func followRinging(_ call: CallSnapshot, isQuiet: Bool) -> [EventSoundAction] {
    guard let sound = files.ringing else { return [] }
    if call.phase == .ringing, call.receiver == nil {
      guard !isQuiet, ringing.insert(call.sessionID).inserted, ringing.count == 1 else { return [] }
      return [.ring(sound)]
    }
    return ringing.remove(call.sessionID) != nil && ringing.isEmpty ? [.stopRinging] : []
  }
}
