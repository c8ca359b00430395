public import MediaPlaneAPI
public import Signalling

/// What the local control socket can ask of the daemon; the call engine implements it, the server only translates.
///
/// Throw ``DeviceControlError`` for what a client should distinguish; any other error becomes
/// ``DeviceControlError/failed(message:)`` with the error's text.
public protocol DeviceControl: ArchiveAdministration {
  func status() async throws -> DeviceStatus
  /// The figures of this moment.
  func telemetry() async throws -> DeviceTelemetry
  /// The users that are online at the hub, nearest first.
  func users() async throws -> [OnlineUser]
  /// The accounts at the hub that have titles; titles without one are left out.
  func resolveTitles(_ titles: [String]) async throws -> [TitledAccount]
  /// Calls a user who is online, by id or title, and returns the session's id at once; events report the rest.
  func call(user: String, media: ControlCallMedia?) async throws -> String
  /// Answers a call that rings.
  func answer(sessionID: String) async throws
  /// Rejects a call that rings; `reason` is one that the hub knows, `declined` if nil.
  func reject(sessionID: String, reason: String?) async throws
  func hangUp(sessionID: String) async throws
  func setMuted(_ target: MuteTarget, _ isMuted: Bool) async throws
  /// Calls several until one answers; returns the hunt's name at once.
  func hunt(_ parameters: HuntParameters) async throws -> String
  /// Switches to the next camera.
  func swapCamera() async throws
  /// Shows the other party of a call another camera, by its name.
  func chooseCamera(sessionID: String, camera: String) async throws
  /// A JPEG of what a camera sees now, also while nothing else uses it; of the further one of that name, or the main one.
  func snapshot(camera: String?) async throws -> [UInt8]
  /// Plays a sound file or speaks a text on the loudspeaker.
  func say(_ parameters: SayParameters) async throws
  /// The device's actions, as available to a person at the device.
  func actions() async throws -> [ActionSummary]
  /// Does an action for a person at the device; returns when its line is active or its program has ended.
  ///
  /// - Throws: ``DeviceControlError/actionRefused(name:message:)``.
  func runAction(name: String, pin: String?) async throws
  /// Sends a chat line to the other party.
  func sendChat(sessionID: String, text: String) async throws
  /// Starts recording one session, or all that are up; returns the new archives' ids.
  func startArchive(sessionID: String?) async throws -> [String]
  /// Stops one archive, or all that run; returns the ids of those that were stopped.
  func stopArchive(archiveID: String?) async throws -> [String]
  /// The archives on this device, newest first, at most `limit`.
  func archives(limit: Int) async throws -> [ArchiveSummary]
  /// How many archives there are on this device.
  func archiveCount() async throws -> Int
  /// Verifies one archive, or all, and reports what is wrong.
  func verifyArchives(archiveID: String?) async throws -> [ArchiveReport]
  /// What sources of events have noticed since a time in milliseconds since 1970, the newest first, at most `limit`.
  func detectedEvents(since: Int64, limit: Int) async throws -> [DetectedEvent]
  /// What the rules would make of an event of a source that begins now.
  ///
  /// - Throws: ``DeviceControlError/invalidParameter(_:)`` for an unknown source.
  func explainEvent(source: String, score: Int) async throws -> EventExplanation
  /// What the policy in force would decide about a call or the use of an action; recent use and wrong PINs aside.
  ///
  /// - Throws: ``DeviceControlError/invalidParameter(_:)``.
  func explainPolicy(_ parameters: PolicyExplainParameters) async throws -> PolicyExplainReply
  /// Notes whether anyone is at home from now on.
  func setHome(_ isHome: Bool) async throws
  /// What happens from now on. Called once by each server, which hands the events to its monitors; bound the buffer.
  func events() async -> AsyncStream<DeviceEvent>
  /// Reloads the policy and what can change of the configuration; after a mistake the old ones stay in force and
  /// ``DeviceControlError/invalidConfiguration(message:)`` is thrown.
  func reload() async throws
}

/// What a control client can distinguish.
public enum DeviceControlError: Error, Sendable, Hashable {
  case noSuchSession(String)
  case noSuchArchive(String)
  /// The archive is being recorded, repaired or exported.
  case archiveInUse(String)
  /// The archive is locked against deletion.
  case archiveLocked(String)
  /// The action was not done; the message says why.
  case actionRefused(name: String, message: String)
  /// No user who is online has this id or title.
  case noSuchUser(String)
  /// Several have the title; the text names them.
  case ambiguousUser(message: String)
  /// The hub cannot be reached, which the request needs.
  case notConnected
  /// A configuration file has mistakes; the text has one line each.
  case invalidConfiguration(message: String)
  /// The parameter of that name has the right type but an impossible value.
  case invalidParameter(String)
  /// The socket is for watching only.
  case notPermitted
  case failed(message: String)
}

extension DeviceControlError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchSession(let sessionID): "there is no session \(sessionID)"
    case .noSuchArchive(let archiveID): "there is no archive \(archiveID)"
    case .archiveInUse(let archiveID): "archive \(archiveID) is being recorded, repaired or exported"
    case .archiveLocked(let archiveID):
      "archive \(archiveID) is locked; unlock it first: livesessions archive unlock \(archiveID)"
    case .actionRefused(let name, let message): "action \(name): \(message)"
    case .noSuchUser(let user):
      "no user who is online has the id or the title \"\(user)\"; see who is: livesessions users"
    case .ambiguousUser(let message): message
    case .notConnected: "the hub cannot be reached"
    case .invalidConfiguration(let message): message
    case .invalidParameter(let name):
      "the parameter \(name) cannot have this value, or the daemon's version does not know it"
    case .notPermitted: "this socket is for watching; use the control socket"
    case .failed(let message): message
    }
  }
}
