/// Something that a source of events has noticed: a line of `events.jsonl`, and an element of what `EventList` returns.
///
/// Times are milliseconds since 1970.
public struct EventRecord: Codable, Sendable, Hashable {
  /// A rectangle of the picture, in thousandths of its width and height, from the upper left.
  public struct Region: Codable, Sendable, Hashable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  public var id: String
  /// `motion`, `tamper`, `sound`, `smoke-alarm`, `geofence`, `speed`, `temperature`, `power` or `input`.
  public var kind: String
  /// The source's name in the configuration.
  public var source: String
  /// The name of the further camera by whose pictures it was noticed; nil for the main one, and for other events.
  public var camera: String?
  public var start: Int64
  /// Nil while it goes on, and where the daemon ended before it.
  public var end: Int64?
  /// Of the strongest moment, 0 to 100.
  public var score: Int
  /// Where in the picture that was.
  public var region: Region?
  /// Such as `covered`, or the reading of the strongest moment, such as `92 km/h`.
  public var detail: String?
  /// The file beside `events.jsonl` that shows the strongest moment.
  public var picture: String?
  /// The archives that were being recorded meanwhile; nil for none.
  public var archives: [String]?
  /// Whether the clock could be trusted when it began.
  public var clockSynchronized: Bool
  /// Whether the daemon ended before the event did, so that nobody knows its end; nil if not.
  public var isInterrupted: Bool?

  public init(id: String, kind: String, source: String, start: Int64, score: Int, clockSynchronized: Bool) {
    self.id = id
    self.kind = kind
    self.source = source
    self.start = start
    self.score = score
    self.clockSynchronized = clockSynchronized
  }
}

/// What sources of events have noticed, as the control socket shows it.
///
/// Its problem is why events are not kept, or last were not.
public protocol EventCatalog: ProblemReporting {
  /// What began since a time in milliseconds since 1970, the newest first, at most `limit`.
  func records(since: Int64, limit: Int) async -> [EventRecord]
}

/// The input of `EventList`.
public struct EventListParameters: VarlinkParameters {
  /// The largest ``limit``.
  public static let mostEvents = 10_000

  /// Milliseconds since 1970; all that is kept without it.
  public var since: Int64?
  /// 1000 without it.
  public var limit: Int?

  public init(since: Int64? = nil, limit: Int? = nil) {
    self.since = since
    self.limit = limit
  }
}

public struct EventListReply: Codable, Sendable {
  /// The newest first.
  public var events: [EventRecord]
  public init(events: [EventRecord]) { self.events = events }
}
