public import MediaCore
public import Signalling

/// Makes events of a condition that holds or does not: de-bounced, from the moment it begins to hold until it has ceased to. Reads
/// no clock.
///
/// An event begins when the condition has held for ``EventTiming/minimumDuration``, and is over when it has not for
/// ``EventTiming/post``, or when it has been unknown for ``timeout``.
public struct ConditionDetector: Hashable, Sendable {
  public typealias Step = EventTrigger<FrameRegion>.Step

  /// How the condition is observed.
  public enum Reporting: Hashable, Sendable {
    /// By polling: the state may change right after a sample, so an event that has to last takes at least two.
    case samples
    /// Each change: it stays until the next one, or ``ConditionDetector/lose(at:)``.
    case changes
  }

  private enum State: Hashable, Sendable {
    case off
    case rising(since: MonotonicInstant)
    case on
    case falling(since: MonotonicInstant)
  }

  /// How long the last known state counts.
  public static let timeout = TimeSpan.seconds(60)
  /// Samples that are further apart do not add up to a duration.
  private static let widestGap = TimeSpan.seconds(10)

  private let timing: EventTiming
  private let reporting: Reporting
  private var trigger: EventTrigger<FrameRegion>
  private var state = State.off
  private var signal = EventTrigger<FrameRegion>.Signal(score: 1)
  private var newestSample: MonotonicInstant?
  private var lostAt: MonotonicInstant?

  public init(_ timing: EventTiming, _ reporting: Reporting) {
    self.timing = timing
    self.reporting = reporting
    trigger = EventTrigger(
      EventTiming(
        minimumDuration: .zero, post: timing.longest, minimumGap: timing.minimumGap, longest: timing.longest))
  }

  /// Whether it holds, and has for long enough.
  public var isOn: Bool { state == .on }

  /// Takes whether the condition holds.
  ///
  /// - Parameter score: how clearly, 1 to 100; ignored where it does not hold.
  public mutating func take(_ holds: Bool, score: Int = 100, at time: MonotonicInstant) -> [Step] {
    lostAt = nil
    let steps = tick(now: time)
    if let newestSample, reporting == .samples, case .rising = state, time - newestSample > Self.widestGap {
      state = .off
    }
    newestSample = time
    if holds { signal = EventTrigger.Signal(score: max(score, 1)) }
    return steps + (holds ? rise(time) : fall(time)) + tick(now: time)
  }

  /// From now on the condition is unknown.
  public mutating func lose(at time: MonotonicInstant) -> [Step] {
    if lostAt == nil { lostAt = time }
    return tick(now: time)
  }

  /// Whatever the time brings about; to be called each second or so.
  public mutating func tick(now: MonotonicInstant) -> [Step] {
    if let unknownSince, now - unknownSince >= Self.timeout { return finish() }
    switch state {
    case .off: return trigger.tick(now: now)
    case .rising(let since): return reporting == .changes ? confirm(since, now) : []
    case .on: return reporting == .changes && lostAt == nil ? trigger.take(signal, at: now) : trigger.tick(now: now)
    case .falling(let since): return now - since >= timing.post ? finish() : []
    }
  }

  /// Detection stops: an ongoing event ends with what was known last.
  public mutating func finish() -> [Step] {
    state = .off
    return trigger.finish()
  }

  private var unknownSince: MonotonicInstant? { reporting == .samples ? newestSample : lostAt }

  private mutating func rise(_ time: MonotonicInstant) -> [Step] {
    switch state {
    case .off:
      state = .rising(since: time)
      return confirm(time, time)
    case .rising(let since): return confirm(since, time)
    case .on, .falling:
      state = .on
      return trigger.take(signal, at: time)
    }
  }

  /// The event is as long as the condition held, at most until this moment.
  private mutating func fall(_ time: MonotonicInstant) -> [Step] {
    switch state {
    case .off, .falling: return []
    case .rising: return finish()
    case .on:
      state = .falling(since: time)
      return trigger.isActive ? trigger.take(signal, at: time) : []
    }
  }

  private mutating func confirm(_ since: MonotonicInstant, _ time: MonotonicInstant) -> [Step] {
    guard time - since >= timing.minimumDuration else { return [] }
    state = .on
    return trigger.take(signal, at: since) + trigger.take(signal, at: time)
  }
}
