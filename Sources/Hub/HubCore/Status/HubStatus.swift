/// How a hub is, as `livesessions-hub status` shows it: asked at one node.
public struct HubStatus: Codable, Sendable {
  /// The outcome of events for webhooks, since this node's start.
  public struct Webhooks: Codable, Sendable {
    public var delivered = 0
    public var lost = 0
    public var waiting = 0
    /// Where events do not arrive, and why.
    public var troubles: [String] = []

    public init() {}
  }

  /// Web Push: the subscriptions of all nodes, and what became of messages and subscriptions since this node's start.
  public struct Push: Codable, Sendable {
    /// Nil where the store does not answer.
    public var subscriptions: Int?
    public var sent: Int
    public var failed: Int
    /// Subscriptions that push services said had ended.
    public var removed: Int

    public init(subscriptions: Int?, sent: Int, failed: Int, removed: Int) {
      (self.subscriptions, self.sent, self.failed, self.removed) = (subscriptions, sent, failed, removed)
    }
  }

  public var version: String
  /// Seconds since this node's start.
  public var uptime: Int64
  /// Of this node: all, and those of clients with an account.
  public var connections: Int
  public var memberConnections: Int
  public var maximumConnections: Int
  /// Of this node.
  public var archiveTransfers: Int
  /// Logins and event streams that this node deferred, since its start.
  public var admissionRefusals: Int
  public var shared: BackplaneStatus
  /// By WHEP, that this node has begun since its start; absent of earlier versions.
  public var views: Int?
  /// Of this node; absent for a hub without webhooks.
  public var webhooks: Webhooks?
  /// Absent for a hub without `[push]`.
  public var push: Push?
  /// Of this node, in seconds since 1970; absent for a hub without `[tls]`.
  public var certificateExpiry: Int64?

  public init(
    version: String, uptime: Int64, connections: (open: Int, members: Int, limit: Int), archiveTransfers: Int,
    admissionRefusals: Int, shared: BackplaneStatus
  ) {
    (self.version, self.uptime) = (version, uptime)
    (self.connections, memberConnections, maximumConnections) = connections
    (self.archiveTransfers, self.admissionRefusals) = (archiveTransfers, admissionRefusals)
    self.shared = shared
  }
}
