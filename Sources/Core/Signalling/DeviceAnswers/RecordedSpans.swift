/// What a device answers to `GET …/recordings`: the archives of a span, the newest first.
public struct RecordedSpans: Codable, Hashable, Sendable {
  /// Whether older ones were left out.
  public var hasMore: Bool
  public var items: [RecordedSpan]

  public init(hasMore: Bool, items: [RecordedSpan]) {
    self.hasMore = hasMore
    self.items = items
  }
}

/// When an archive was recorded, in milliseconds since 1970.
public struct RecordedSpan: Codable, Hashable, Sendable {
  public var id: ArchiveID
  public var start: Int64
  /// Absent while it is recorded.
  public var end: Int64?
  public var plans: [String]?
  /// Milliseconds from frame to frame of a time-lapse.
  public var timeLapseInterval: Int64?

  public init(
    id: ArchiveID, start: Int64, end: Int64? = nil, plans: [String]? = nil, timeLapseInterval: Int64? = nil
  ) {
    self.id = id
    self.start = start
    self.end = end
    self.plans = plans
    self.timeLapseInterval = timeLapseInterval
  }
}
