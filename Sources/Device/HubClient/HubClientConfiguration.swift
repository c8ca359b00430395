import HTTPConnections
public import TLSClient

/// How to reach the hub, and as whom.
public struct HubClientConfiguration: Sendable {
  /// Where the hub is.
  let origin: HTTPOrigin
  /// The same as it was configured, for messages.
  let baseURL: String
  /// The name under which others find the device.
  public let title: String
  /// The secret that makes the hub accept this device; without one the login is anonymous, if the hub allows that.
  public let enrolmentKey: HubEnrolmentKey?
  /// Reads the secret as it is now, before each login, so that a new one needs no restart; nil where it cannot be read, and
  /// ``enrolmentKey`` holds.
  public var readEnrolmentKey: @Sendable () -> HubEnrolmentKey? = { nil }
  /// Whether the hub is reached through a proxy.
  public var route = ProxyRoute.direct
  /// Time for one request and its answer.
  public var requestTimeout: Duration = .seconds(10)
  /// Silence after which the event stream, an upload or a download counts as dead.
  ///
  /// The hub sends a comment at least every 8 s, one of earlier versions every 15 s.
  public var idleTimeout: Duration = .seconds(35)
  /// Time for one archive upload as a whole.
  public var uploadTimeout: Duration = .seconds(2 * 60 * 60)
  /// How often a request that may be repeated is sent at most.
  public var maximumAttempts = 3

  /// The first and the longest pause before a broken event stream is opened again.
  public var reconnectPauses: ClosedRange<Duration> = .milliseconds(500)...(.seconds(30))
  /// Whether the wall clock can be trusted; asked when the hub's certificate is refused, to explain that.
  public var isClockSynchronized: @Sendable () -> Bool = { true }

  /// - Parameter baseURL: `http://` or `https://`, host, optional port and path prefix.
  /// - Throws: ``HubClientError/invalidURL(_:)`` if the URL is none that this client can use.
  public init(baseURL: String, title: String, enrolmentKey: HubEnrolmentKey?) throws(HubClientError) {
    guard let origin = HTTPOrigin(baseURL) else { throw .invalidURL(baseURL) }
    self.origin = origin
    self.baseURL = baseURL
    self.title = title
    self.enrolmentKey = enrolmentKey
  }
}

/// A secret that does not show itself in logs.
public struct HubEnrolmentKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The secret itself.
  public let secret: String

  public init(_ secret: String) { self.secret = secret }

  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
