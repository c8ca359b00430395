public import Signalling

/// Why the hub does not do what a request asks; each case is one problem document.
public enum HubRefusal: Error, Sendable, Equatable {
  case notAuthenticated
  case badCredentials
  case notAllowed(String)
  case notFound(String)
  case receiverOffline
  case sessionUnknown
  case sessionExists
  case sessionEnded
  /// The event does not fit the session's state.
  case wrongState(String)
  /// Both parties called each other and the other's call goes on.
  case glare
  case eventStreamGone
  case invalid(field: String, reason: String)
  case tooMany(String, retryAfter: Int)
  case deviceUnresponsive

  public var problem: Problem {
    let (type, title, status, detail) = parts
    return Problem(type: type, title: title, status: status, detail: detail)
  }

  /// Seconds for a `Retry-After` header.
  public var retryAfter: Int? {
    if case .tooMany(_, let seconds) = self { seconds } else { nil }
  }

  private var parts: (type: String, title: String, status: Int, detail: String?) {
    switch self {
    case .notAuthenticated: ("not-authenticated", "A valid bearer token is needed", 401, nil)
    case .badCredentials: ("bad-credentials", "Wrong title or credential", 401, nil)
    case .notAllowed(let detail): ("not-allowed", "Not allowed", 403, detail)
    case .notFound(let detail): ("not-found", "Not found", 404, detail)
    case .receiverOffline: ("receiver-offline", "The receiver is not online", 404, nil)
    case .sessionUnknown: ("session-unknown", "No such session", 404, nil)
    case .sessionExists: ("session-exists", "The session id is taken", 409, nil)
    case .sessionEnded: ("session-ended", "The session has ended", 410, nil)
    case .wrongState(let detail): ("wrong-state", "Not possible in the session's state", 409, detail)
    case .glare: ("glare", "The receiver is calling you; that call goes on", 409, nil)
    case .eventStreamGone: ("event-stream-gone", "The named event stream is not open", 409, nil)
    case .invalid(let field, let reason): ("invalid-request", "Invalid request", 400, "\(field): \(reason)")
    case .tooMany(let what, _): ("rate-limited", "Too many requests", 429, what)
    case .deviceUnresponsive: ("device-timeout", "The device did not answer in time", 504, nil)
    }
  }
}
