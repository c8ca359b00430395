/// Something that a device has noticed: the one shape of an event, on the disk (a line of `events.jsonl`), at the control
/// socket, in what the hub is sent and passes on to webhooks, and in the page.
///
/// Times are milliseconds since 1970 by the device's clock. Texts are what the device's configuration permits, which is more
/// than the hub passes on: see ``refusal``.
public struct DetectedEvent: Codable, Sendable, Hashable {
  /// Unique on the device: when it began in UTC and eight random digits, as `20261124T195512Z-9f3c01ab`, so that ids are
  /// in the order of time. See ``DetectedEventID``.
  public var id: String
  /// The name of an ``EventKind``, or one that later versions know.
  public var kind: String
  /// The source's name in the configuration.
  public var source: String
  /// The name of the further camera by whose frames it was noticed; nil for the main one, and for other events.
  public var camera: String?
  public var start: Int64
  /// Nil while it is ongoing, and where the daemon ended before it.
  public var end: Int64?
  /// The peak so far, 0 to 100.
  public var score: Int
  /// Where in the frame that was.
  public var region: FrameRegion?
  /// Its variety, such as `covered`, or the reading of the strongest moment, such as `92 km/h`
  /// (``EventKindFacts/Detail``).
  public var detail: String?
  /// The image file beside `events.jsonl` that shows the strongest moment.
  public var picture: String?
  /// The archives that were being recorded meanwhile; nil for none.
  public var archives: [String]?
  /// Whether the clock could be trusted when it began.
  public var clockSynchronized: Bool
  /// Whether the daemon ended before the event did, so that its end is unknown; nil if not.
  public var isInterrupted: Bool?
  /// The device's rule by which the hub is sent it; nil elsewhere.
  public var rule: String?

  /// An event that begins.
  public init(id: String, kind: EventKind, source: String, start: Int64, score: Int, clockSynchronized: Bool) {
    self.id = id
    self.kind = kind.rawValue
    self.source = source
    self.start = start
    self.score = score
    self.clockSynchronized = clockSynchronized
  }

  /// Nil for a kind that later versions know.
  public var knownKind: EventKind? { EventKind(rawValue: kind) }

  /// What it is and where, for people.
  public var title: String {
    let what = kind + (detail.map { " (\($0))" } ?? "")
    return "\(what) at \"\(source)\"" + (camera.map { ", camera \($0)" } ?? "")
  }
}

// MARK: - At the hub

extension DetectedEvent {
  /// What the hub does not pass on of an event, and why.
  public struct Refusal: Hashable, Sendable {
    /// The JSON field.
    public var field: String
    public var reason: String
  }

  /// The end of the year 9999.
  public static let endOfTime: Int64 = 253_402_300_800_000

  /// What keeps the hub from forwarding a report: its recipients trust the fields. Nil for nothing.
  public var refusal: Refusal? {
    let times = 0..<Self.endOfTime
    let checks: [(Bool, String, String)] = [
      (DetectedEventID(id) != nil, "id", "must be a time and eight digits, such as 20261124T195512Z-9f3c01ab"),
      (EventCode(kind) != nil, "kind", "must be at most \(MessageLimits.code) lower-case letters, digits and dashes"),
      (GivenName(source) != nil, "source", Self.nameReason),
      (camera.map { CameraName($0) != nil } ?? true, "camera", "has no valid value"),
      (times.contains(start), "start", "must be milliseconds since 1970"),
      (end.map(times.contains) ?? true, "end", "must be milliseconds since 1970"),
      ((0...100).contains(score), "score", "must be 0 to 100"),
      (region?.isWithinFrame ?? true, "region", "must be thousandths of the frame, 0 to 1000"),
      (detail.map { GivenName($0) != nil } ?? true, "detail", Self.nameReason),
      (rule.map { GivenName($0) != nil } ?? false, "rule", rule == nil ? "is missing" : Self.nameReason),
    ]
    return checks.first { !$0.0 }.map { Refusal(field: $0.1, reason: $0.2) }
  }

  private static let nameReason = "must be one line of 1 to \(MessageLimits.code) bytes without < and >"

  /// The form that is sent to the hub: without what lies on the device's disk.
  ///
  /// - Parameter rule: by which the hub is sent it.
  public func report(by rule: String?) -> DetectedEvent {
    var report = self
    (report.picture, report.archives, report.isInterrupted) = (nil, nil, nil)
    report.rule = rule
    return report
  }
}
