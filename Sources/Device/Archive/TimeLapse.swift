public import MediaCore

/// How a stream becomes a time-lapse: one key frame each ``interval``, played one after the other.
public struct TimeLapse: Hashable, Sendable {
  /// Frames a second, when it is played.
  public static let playedRate: Int64 = 30

  /// From one frame to the next, when it is recorded.
  public var interval: TimeSpan

  public init(interval: TimeSpan) { self.interval = interval }

  /// How long what plays for a time took to record.
  func recorded(milliseconds played: Int64) -> Int64 {
    played.saturatingMultiplied(by: Self.playedRate).saturatingMultiplied(by: interval.milliseconds) / 1_000
  }

  /// How long what took a time to record plays.
  public func played(milliseconds recorded: Int64) -> Int64 {
    recorded.saturatingMultiplied(by: 1_000) / max(1, Self.playedRate.saturatingMultiplied(by: interval.milliseconds))
  }
}

/// Takes a key frame when one is due, and gives it the time at which it is shown.
struct TimeLapsePace {
  private let interval: TimeSpan
  /// A frame that was captured just before it was requested is as good.
  private let tolerance: TimeSpan
  private var first: MonotonicInstant?
  private var count: Int64 = 0
  private var due: MonotonicInstant?
  private var asked: MonotonicInstant?

  /// A key frame that does not come is asked for again so often.
  private static let timeout = TimeSpan.seconds(1)
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  init(_ timeLapse: TimeLapse) {
    interval = timeLapse.interval
    tolerance = min(interval / 4, .milliseconds(250))
  }

  /// Whether the next frame is due and has to be requested.
  mutating func needsRequest(now: MonotonicInstant) -> Bool {
    if let due, now < due { return false }
    if let asked, now - asked < Self.timeout { return false }
    asked = now
    return true
  }

  /// How long until a frame is due; nil when one is.
  func timeUntilDue(now: MonotonicInstant) -> TimeSpan? {
    guard let due, now < due else { return nil }
    return due - now
  }

  /// The frame as it is to be written; nil for one that is left out.
  mutating func take(_ header: EncodedFrameHeader) -> EncodedFrameHeader? {
    guard header.kind == .video, header.isKeyFrame else { return nil }
    asked = nil
    guard header.timestamp + tolerance >= due ?? header.timestamp else { return nil }
    // What came late does not delay those that follow, unless some are missing.
    let next = (due ?? header.timestamp) + interval
    due = next > header.timestamp ? next : header.timestamp + interval
    first = first ?? header.timestamp
    defer { count += 1 }
    var shown = header
    shown.timestamp = time(of: count)
    shown.duration = time(of: count + 1) - shown.timestamp
    return shown
  }

  private func time(of index: Int64) -> MonotonicInstant {
    let offset = index.saturatingMultiplied(by: Self.nanosecondsPerSecond) / TimeLapse.playedRate
    return (first ?? MonotonicInstant(nanoseconds: 0)) + TimeSpan(nanoseconds: offset)
  }
}
