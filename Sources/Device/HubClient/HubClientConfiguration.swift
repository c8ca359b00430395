/// How to reach the hub, and as whom.
public struct HubClientConfiguration: Sendable {
  /// `http://` or `https://`, host, optional port and path prefix; without a slash at the end.
  public let baseURL: String
  /// The name under which others find the device.
  public let title: String
  /// The secret that makes the hub accept this device; without one the login is anonymous, if the hub allows that.
  public let enrolmentKey: EnrolmentKey?
  /// Time for one request and its answer.
  public var requestTimeout: Duration = .seconds(10)
  /// Silence after which the event stream, an upload or a download counts as dead.
  ///
  /// The hub sends a comment at least every 15 s.
  public var idleTimeout: Duration = .seconds(35)
  /// Time for one archive upload as a whole.
  public var uploadTimeout: Duration = .seconds(2 * 60 * 60)
  /// How often a request that may be repeated is sent at most.
  public var maximumAttempts = 3

  /// The first and the longest pause before a broken event stream is opened again.
  public var reconnectPauses: ClosedRange<Duration> = .milliseconds(500)...(.seconds(30))
  /// Whether the wall clock can be believed; asked when the hub's certificate is refused, to tell why that may be.
  public var isClockSynchronized: @Sendable () -> Bool = { true }

  /// - Throws: ``HubClientError/invalidURL(_:)`` if the URL is none that this client can use.
  public init(baseURL: String, title: String, enrolmentKey: EnrolmentKey?) throws(HubClientError) {
    self.baseURL = try Self.normalize(baseURL)
    self.title = title
    self.enrolmentKey = enrolmentKey
  }

  private static func normalize(_ url: String) throws(HubClientError) -> String {
    var trimmed = url
    while trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard let scheme = ["https://", "http://"].first(where: { trimmed.lowercased().hasPrefix($0) }) else {
      throw .invalidURL(url)
    }
    let rest = trimmed.dropFirst(scheme.count)
    let isPrintable = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard let first = rest.first, first != ":", isPrintable, !rest.contains(where: { "?#@\\".contains($0) }) else {
      throw .invalidURL(url)
    }
    return scheme + rest
  }
}

/// A secret that does not show itself in logs.
public struct EnrolmentKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The secret itself.
  public let secret: String

  public init(_ secret: String) { self.secret = secret }

  public var description: String { "<redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
