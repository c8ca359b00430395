import Signalling

/// A time without the hub, or without its event stream: why, since when, and until when.
public struct HubOutage: Sendable {
  /// What went wrong last, why, and what to do about it.
  public var text: String
  public var began: ContinuousClock.Instant
  /// Nil while it lasts.
  public var ended: ContinuousClock.Instant?
  /// Whether the hub serves the device all the same: its events are polled.
  public var isBypassed = false

  /// - Parameter hub: its URL, which may be what is wrong.
  public init(_ error: HubClientError, of hub: String? = nil, began: ContinuousClock.Instant, hint: String = "") {
    text = hint + (hub.map { "\($0): " } ?? "") + "\(error)" + (error.remedy.map { "; \($0)" } ?? "")
    self.began = began
  }

  /// Something holds the event stream back.
  static func heldBack(began: ContinuousClock.Instant) -> HubOutage {
    var outage = HubOutage(.eventsHeldBack, began: began)
    outage.text = heldBackText
    outage.isBypassed = true
    return outage
  }

  private static let heldBackText = """
    a proxy buffers the event stream, so events are fetched by requests, a little later; \(HubClientError.unbuffering)
    """

  /// The hub is back.
  mutating func end() { ended = ended ?? .now }
}

extension HubClientError {
  static let unbuffering = """
    turn buffering off for /v1/events in the proxy before the hub (nginx: "proxy_buffering off", and no \
    "proxy_ignore_headers X-Accel-Buffering")
    """

  /// What to do about it, where its own text does not say so.
  var remedy: String? {
    switch self {
    case .unreachable(let cause) where cause.hasPrefix("the proxy "): nil
    case .unreachable(let cause) where cause.hasSuffix("is not known"):
      "is the name in url of [hub] right, and does this machine have a name server?"
    case .unreachable where isCertificateRefused: "the hub needs a certificate for its name, of an authority known here"
    case .eventsHeldBack: "does a proxy buffer it? \(Self.unbuffering)"
    case .unreachable, .timedOut: "is the hub running, is url in [hub] right, and does a firewall let this device out?"
    case .refused(401, let problem?, _) where problem.type == "bad-credentials": nil
    case .refused(404, _, _), .malformedAnswer: "is url in [hub] that of a LiveSessions hub, with its path?"
    case .refused(429, _, _): "it is tried again by itself, more slowly"
    case .refused(500..., _, _): "the hub's log says more"
    case .invalidURL, .invalidIdentifier, .refused: nil
    }
  }
}
