/// What the device does about a server to which it publishes.
public struct PublicationStatus: Codable, Sendable, Hashable {
  public var name: String
  /// Where it goes, without a query.
  public var url: String
  /// `idle`, `connecting`, `publishing`, `restarting` or `waiting` after a failure.
  public var state: String
  /// What is published, as text for people; while nothing is, what would be.
  public var text: String
  /// Since when media flows, in milliseconds since 1970; absent while none does.
  public var since: Int64?
  /// Bits per second over the last seconds.
  public var sendBitrate: Int?
  /// Attempts and sessions that failed since the daemon's start.
  public var failures: Int
  /// What fails, and what to do about it; absent if all is well.
  public var problem: String?

  public init(name: String, url: String, state: String, text: String, failures: Int) {
    self.name = name
    self.url = url
    self.state = state
    self.text = text
    self.failures = failures
  }

  /// Whether media flows.
  public var isPublished: Bool { since != nil }
}

/// Figures of one server to which the device publishes.
public struct PublicationTelemetry: Codable, Sendable, Hashable {
  public var name: String
  public var isPublished: Bool
  public var failures: Int

  public init(_ status: PublicationStatus) {
    name = status.name
    isPublished = status.isPublished
    failures = status.failures
  }
}
