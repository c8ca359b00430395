public import Signalling

/// Why the hub does not do what a request asks; each case is one problem document.
public enum HubRefusal: Error, Sendable, Equatable {
  case notAuthenticated
  case badCredentials
  case notAllowed(String)
  /// The request names the hub by a name that it does not answer to.
  case foreignHost
  /// The request comes from a page of another origin.
  case foreignOrigin
  /// An anonymous login under the title of an account.
  case titleTaken
  /// An account is to get the title of another one.
  case titleInUse
  /// A title that resembles another one, or cannot be shown.
  case badTitle(String)
  case notFound(String)
  case receiverOffline
  case sessionUnknown
  case sessionExists
  case sessionEnded
  /// The event does not fit the session's state.
  case wrongState(String)
  /// Another of the receiver's clients has answered the call.
  case answeredElsewhere
  /// Both parties called each other and the other's call continues.
  case glare
  case eventStreamGone
  case invalid(field: String, reason: String)
  case tooMany(String, retryAfter: Int)
  case overloaded(String, retryAfter: Int)
  case deviceUnresponsive
  /// The device answered what cannot be passed on.
  case deviceFaulty(String)
  /// The device may, but it does not work; its log says why.
  case deviceUnable(String)
  /// The hub sends no push messages.
  case pushOff
  /// An invitation that is not, or no longer, good for anyone who has its code.
  case invitation(InvitationState)

  public var problem: Problem {
    let (type, title, status, detail) = parts
    return Problem(type: type, title: title, status: status, detail: detail)
  }

  /// Seconds for a `Retry-After` header.
  public var retryAfter: Int? {
    switch self {
    case .tooMany(_, let seconds), .overloaded(_, let seconds): seconds
    case .notAuthenticated, .badCredentials, .notAllowed, .foreignHost, .foreignOrigin, .titleTaken, .titleInUse,
      .badTitle, .notFound, .receiverOffline, .sessionUnknown, .sessionExists, .sessionEnded, .wrongState,
      .answeredElsewhere,
      .glare, .eventStreamGone, .invalid, .deviceUnresponsive, .deviceFaulty, .deviceUnable, .pushOff, .invitation:
      nil
    }
  }

  private var parts: (type: String, title: String, status: Int, detail: String?) {
    switch self {
    case .notAuthenticated: ("not-authenticated", "A valid bearer token is needed", 401, nil)
    case .badCredentials: ("bad-credentials", "Wrong title or credential", 401, nil)
    case .notAllowed(let detail): ("not-allowed", "Not allowed", 403, detail)
    case .foreignHost:
      ("host-not-allowed", "This hub does not answer to that host name", 403, "add it to allowed_hosts in hub.toml")
    case .foreignOrigin:
      (
        "origin-not-allowed", "Pages of that origin may not use this hub", 403,
        "add it to allowed_origins in hub.toml, or have the proxy pass the Host header on"
      )
    case .titleTaken: ("title-taken", "The title belongs to an account, which needs its credential", 403, nil)
    case .titleInUse: ("title-in-use", "Another account has that title", 409, nil)
    case .badTitle(let reason): ("bad-title", "The title cannot be used", 400, reason)
    case .notFound(let detail): ("not-found", "Not found", 404, detail)
    case .receiverOffline: ("receiver-offline", "The receiver is not online", 404, nil)
    case .sessionUnknown: ("session-unknown", "No such session", 404, nil)
    case .sessionExists: ("session-exists", "The session id is taken", 409, nil)
    case .sessionEnded: ("session-ended", "The session has ended", 410, nil)
    case .wrongState(let detail): ("wrong-state", "Not possible in the session's state", 409, detail)
    case .answeredElsewhere: ("answered-elsewhere", "The call was answered in another place", 409, nil)
    case .glare: ("glare", "The receiver is calling you; that call continues", 409, nil)
    case .eventStreamGone: ("event-stream-gone", "The named event stream is not open", 409, nil)
    case .invalid(let field, let reason): ("invalid-request", "Invalid request", 400, "\(field): \(reason)")
    case .tooMany(let what, _): ("rate-limited", "Too many requests", 429, what)
    case .overloaded(let what, _): ("overloaded", "The hub has too much to do", 503, what)
    case .deviceUnable(let detail): ("device-unable", "The device cannot do that just now", 409, detail)
    case .deviceFaulty(let detail): ("device-faulty", "The device's answer cannot be used", 502, detail)
    case .pushOff: ("push-off", "This hub rings no phones", 404, "there is no [push] in hub.toml")
    case .invitation(let state): Self.parts(of: state)
    case .deviceUnresponsive: ("device-timeout", "The device did not answer in time", 504, nil)
    }
  }

  private static func parts(
    of state: InvitationState
  ) -> (type: String, title: String, status: Int, detail: String?) {
    switch state {
    case .open: ("invitation-open", "The invitation has not been used yet", 409, nil)
    case .used: ("invitation-used", "The invitation is used by another browser", 409, nil)
    case .early: ("invitation-early", "The invitation does not hold yet", 403, nil)
    case .expired: ("invitation-expired", "The invitation has expired", 410, nil)
    case .revoked: ("invitation-revoked", "The invitation was revoked", 410, nil)
    }
  }
}
