public import Signalling

/// Something that happened at the device, as the monitor shows it.
public struct DeviceEvent: Codable, Sendable, Hashable {
  /// `call.incoming`, `call.outgoing`, `call.answered`, `call.rejected`, `call.ended`, `archive.started`, `hub.connected`, `action.done`,
  /// `action.refused` …
  public var name: String
  /// Milliseconds since 1970.
  public var time: Int64
  public var sessionID: String?
  public var archiveID: String?
  public var userID: String?
  /// For people: a reason, a chat line, a caller's title.
  public var text: String?
  /// The hunt that it is about.
  public var hunt: String?
  /// The id of what a source of events has noticed, of `event.began` and `event.ended`, and of `rule.done` and `rule.failed`,
  /// which report what a rule did about it.
  public var eventID: String?
  /// The event itself, of `event.began` and `event.ended`; absent from daemons of earlier versions.
  public var event: DetectedEvent?

  /// The name of an event that carries what a party wrote.
  public static let chatName = "chat"

  public init(
    name: String, time: Int64, sessionID: String? = nil, archiveID: String? = nil, userID: String? = nil,
    text: String? = nil
  ) {
    self.name = name
    self.time = time
    self.sessionID = sessionID
    self.archiveID = archiveID
    self.userID = userID
    self.text = text
  }

  /// Whether it is the last one of a hunt.
  public var endsHunt: Bool { name == "hunt.ended" }

  /// Whether it is the last one of a call.
  public var endsCall: Bool { name == "call.ended" || name == "call.rejected" }
}
