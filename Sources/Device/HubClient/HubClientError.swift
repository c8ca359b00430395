public import MediaCore
public import Signalling

/// Why a request to the hub failed.
public enum HubClientError: Error, Sendable {
  /// Not an `http` or `https` URL with a host, or one with user, query or fragment.
  case invalidURL(String)
  /// A session or upload id that cannot be part of a URL path.
  case invalidIdentifier
  /// No connection, or it broke.
  case unreachable(String)
  /// No answer in time.
  case timedOut
  /// The event stream was opened, and nothing of it came in time.
  case eventsHeldBack
  /// The hub refused; with its problem document if it sent one, and how long it asks to wait if it does.
  case refused(status: Int, problem: Problem?, retryAfter: TimeSpan? = nil)
  /// The hub answered with something that is not the agreed JSON.
  case malformedAnswer(String)

  /// Whether the same request may succeed a moment later.
  var isTransient: Bool {
    switch self {
    case .unreachable, .timedOut, .eventsHeldBack: true
    case .refused(let status, _, _): status == 429 || status >= 500
    case .invalidURL, .invalidIdentifier, .malformedAnswer: false
    }
  }

  /// The hub's reason code for its refusal, such as `receiver-offline`; nil when it sent none.
  public var refusal: String? {
    if case .refused(_, let problem, _) = self { problem?.type } else { nil }
  }

  /// Whether nothing came, as opposed to a connection that failed, or an answer.
  var isSilence: Bool {
    switch self {
    case .timedOut, .eventsHeldBack: true
    case .unreachable, .refused, .invalidURL, .invalidIdentifier, .malformedAnswer: false
    }
  }

  /// How long the hub asks to wait, as it says; nil when it does not.
  public var retryAfter: TimeSpan? {
    if case .refused(_, _, let pause) = self { pause } else { nil }
  }

  /// Whether the hub does not know, or no longer knows, what the request was about.
  public var isForgotten: Bool {
    if case .refused(let status, _, _) = self { status == 404 || status == 410 } else { false }
  }

  /// Whether the hub's certificate could not be verified, as `TLSClient` says it.
  var isCertificateRefused: Bool {
    if case .unreachable(let cause) = self { cause.hasPrefix("the server's certificate") } else { false }
  }

  /// Whether a server answered that TLS does not accept as the hub, or that does not speak TLS.
  public var isTLSFailure: Bool {
    if case .unreachable(let cause) = self { isCertificateRefused || cause.hasPrefix("TLS: ") } else { false }
  }

  /// Whether the same request may succeed at another time: the hub was away, had too much to do, or took no login.
  public var mayPass: Bool {
    if case .refused(401, _, _) = self { return true }
    return isTransient
  }

  /// Whether the hub was not there at all, as opposed to answering "no".
  public var isAbsence: Bool {
    switch self {
    case .unreachable, .timedOut, .eventsHeldBack: true
    case .refused(let status, _, _): status == 502 || status == 503 || status == 504
    case .invalidURL, .invalidIdentifier, .malformedAnswer: false
    }
  }
}

extension HubClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidURL(let url): "not a usable hub URL: \(url)"
    case .invalidIdentifier: "an identifier that cannot be part of a URL"
    case .unreachable(let cause): "cannot reach the hub: \(cause)"
    case .timedOut: "no answer from the hub in time"
    case .eventsHeldBack: "the hub's event stream was opened, but nothing of it arrives"
    case .refused(401, let problem?, _) where problem.type == "bad-credentials":
      """
      the hub does not know this device's enrolment key (or takes no device without one); make a new one at the hub with \
      livesessions-hub enrol-device --replace
      """
    case .refused(let status, let problem, _):
      "the hub refused with status \(status)" + (problem.map { " (\($0.type): \($0.detail ?? $0.title))" } ?? "")
    case .malformedAnswer(let cause): "the hub's answer cannot be read: \(cause)"
    }
  }
}
