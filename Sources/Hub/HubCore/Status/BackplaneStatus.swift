/// How it stands with what the nodes of a hub know in common, for operators.
public struct BackplaneStatus: Codable, Sendable {
  /// One node of the hub.
  public struct Node: Codable, Sendable {
    public var name: String
    /// Milliseconds since its last sign of life; nil for the only node of a hub.
    public var silence: Int64?
    /// Nil while the node has not said.
    public var eventStreams: Int?
    /// Users with an event stream on this node; one with streams on two nodes counts for both.
    public var presentUsers: Int?
    /// The ids of these users, in order: of the node that is asked alone, and nil where they are more than
    /// ``maximumUserIDs``.
    public var presentUserIDs: [String]?

    /// A status has at most a megabyte.
    public static let maximumUserIDs = 10_000

    public init(name: String, silence: Int64? = nil, eventStreams: Int? = nil, presentUsers: Int? = nil) {
      (self.name, self.silence) = (name, silence)
      (self.eventStreams, self.presentUsers) = (eventStreams, presentUsers)
    }

    /// Adds the ids of users, if there is room for them.
    public mutating func setPresentUserIDs(_ ids: [String]) {
      presentUserIDs = ids.count <= Self.maximumUserIDs ? ids.sorted() : nil
    }
  }

  public var nodes: [Node] = []
  /// Calls that have not ended; nil where that is unknown.
  public var liveSessions: Int?
  /// Overdue sessions: more than a few for longer than seconds mean that no node maintains them.
  public var overdueSessions: Int?
  /// Nil for a hub of one node.
  public var redis: RedisStatus?
  /// Why figures are missing; nil when none are.
  public var problem: String?

  public init() {}
}

/// How Redis is, as the node that is asked sees it.
public struct RedisStatus: Codable, Sendable {
  /// Of one command, in microseconds.
  public var roundTrip: Int64
  /// Bytes; this and what follows is nil where Redis does not let the hub's user ask.
  public var usedMemory: Int64?
  /// Bytes, 0 for no limit.
  public var maximumMemory: Int64?
  /// `noeviction`, or how Redis would lose calls at random.
  public var evictionPolicy: String?
  /// Whether changes are written to an append-only file.
  public var hasAppendOnlyFile: Bool?
  /// Whether the last write to disk went well, of whatever kind.
  public var canWriteToDisk: Bool?

  public init(roundTrip: Int64) { self.roundTrip = roundTrip }
}
