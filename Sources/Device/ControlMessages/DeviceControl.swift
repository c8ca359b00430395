/// What the local control socket can ask of the daemon; the call engine implements it, the server only translates.
///
/// Throw ``DeviceControlError`` for what a client should distinguish; any other error becomes
/// ``DeviceControlError/failed(message:)`` with the error's text.
public protocol DeviceControl: StatusMethods, CallMethods, MediaMethods, ActionMethods, ArchiveMethods, EventMethods {
  /// What happens from now on. Called once by each server, which hands the events to its monitors; bound the buffer.
  func events() async -> AsyncStream<DeviceEvent>
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
