public import MediaCore

/// Makes events of a source's signals: de-bounced, with a start, an end and the peak between them.
///
/// Takes what a source shows with the time of each sample, and returns what has begun or ended. Does nothing itself and
/// reads no clock. `Place` is where something happened, such as a region of the frame; the peak's is kept.
public struct EventTrigger<Place: Hashable & Sendable>: Hashable, Sendable {
  /// Something that a source shows at one moment.
  public struct Signal: Hashable, Sendable {
    /// 0 to 100.
    public var score: Int
    public var place: Place?

    /// Scores beyond 0 to 100 become the nearest limit.
    public init(score: Int, place: Place? = nil) {
      self.score = min(max(score, 0), 100)
      self.place = place
    }
  }

  /// From the first signal to the last one.
  public struct Span: Hashable, Sendable {
    public let start: MonotonicInstant
    /// The time of the newest signal so far.
    public fileprivate(set) var end: MonotonicInstant
    /// The strongest signal, and when it was.
    public fileprivate(set) var peak: Signal
    public fileprivate(set) var peakTime: MonotonicInstant
  }

  /// What has happened.
  public enum Step: Hashable, Sendable {
    case began(Span)
    /// A stronger signal than before: a better snapshot of it.
    case peaked(Span)
    case ended(Span)
  }

  private enum State: Hashable, Sendable {
    case idle
    /// Signals that have not lasted long enough.
    case rising(Span)
    case active(Span)
  }

  private let timing: EventTiming
  private var state = State.idle
  /// No event begins before.
  private var restsUntil: MonotonicInstant?
  private var newest: MonotonicInstant?

  /// Signals that are further apart do not add up to a duration.
  private static var timeout: TimeSpan { .milliseconds(700) }

  public init(_ timing: EventTiming = EventTiming()) { self.timing = timing }

  /// Whether an event is ongoing.
  public var isActive: Bool { if case .active = state { true } else { false } }

  /// When ``tick(now:)`` has something to do next.
  public var nextDeadline: MonotonicInstant? {
    guard case .active(let span) = state else { return nil }
    return min(span.end + timing.post, span.start + timing.longest)
  }

  /// Takes a sample of the source: what it shows, nil for nothing. Times before those of earlier calls count as the
  /// latest.
  public mutating func take(_ signal: Signal?, at time: MonotonicInstant) -> [Step] {
    let time = max(time, newest ?? time)
    let ended = tick(now: time)
    guard let signal else { return ended }
    switch state {
    case .idle: return ended + begin(signal, time)
    case .rising(let span) where time - span.end > Self.timeout: return ended + begin(signal, time)
    case .rising(let span): return ended + rise(span.adding(signal, time))
    case .active(let span): return ended + extend(span, signal, time)
    }
  }

  /// Whatever the time brings about.
  public mutating func tick(now: MonotonicInstant) -> [Step] {
    newest = max(now, newest ?? now)
    guard case .active(let span) = state, let nextDeadline, nextDeadline <= now else { return [] }
    return end(span)
  }

  /// The source is gone: an ongoing event ends with its last signal.
  public mutating func finish() -> [Step] {
    guard case .active(let span) = state else {
      state = .idle
      return []
    }
    return end(span)
  }

  private mutating func begin(_ signal: Signal, _ time: MonotonicInstant) -> [Step] {
    state = .idle
    if let restsUntil, time < restsUntil { return [] }
    return rise(Span(start: time, end: time, peak: signal, peakTime: time))
  }

  private mutating func rise(_ span: Span) -> [Step] {
    guard span.end - span.start >= timing.minimumDuration else {
      state = .rising(span)
      return []
    }
    state = .active(span)
    return [.began(span)]
  }

  private mutating func extend(_ span: Span, _ signal: Signal, _ time: MonotonicInstant) -> [Step] {
    let next = span.adding(signal, time)
    state = .active(next)
    return next.peakTime == span.peakTime ? [] : [.peaked(next)]
  }

  private mutating func end(_ span: Span) -> [Step] {
    state = .idle
    restsUntil = span.end + timing.minimumGap
    return [.ended(span)]
  }
}

extension EventTrigger.Span {
  fileprivate func adding(_ signal: EventTrigger.Signal, _ time: MonotonicInstant) -> Self {
    var span = self
    span.end = time
    if signal.score > peak.score { (span.peak, span.peakTime) = (signal, time) }
    return span
  }
}
