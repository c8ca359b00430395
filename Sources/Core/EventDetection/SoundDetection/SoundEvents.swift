public import MediaCore
internal import Signalling

/// Makes events of sound that is louder than usual.
public struct LoudSoundEvents: SoundDetector {
  private var level: LevelDetector
  private var trigger: EventTrigger<FrameRegion>

  /// - Parameter threshold: decibels by which it has to be louder, at least 3.
  public init(threshold: Double, _ timing: EventTiming) {
    level = LevelDetector(threshold: threshold)
    trigger = EventTrigger(timing)
  }

  public var detail: String? { nil }

  public mutating func take(level decibels: Double, _ block: Span<Int16>, at time: MonotonicInstant) -> [Step] {
    trigger.take(level.take(level: decibels).map { EventTrigger.Signal(score: $0) }, at: time)
  }

  public mutating func tick(now: MonotonicInstant) -> [Step] { trigger.tick(now: now) }

  public mutating func finish() -> [Step] { trigger.finish() }
}

/// Makes events of smoke alarms.
public struct SmokeAlarmEvents: SoundDetector {
  private var alarm = SmokeAlarmDetector()
  private var trigger = EventTrigger<FrameRegion>(.debouncedElsewhere)

  public init() {}

  public var detail: String? { nil }

  public mutating func take(level: Double, _ block: Span<Int16>, at time: MonotonicInstant) -> [Step] {
    alarm.take(block) ? trigger.take(EventTrigger.Signal(score: 100), at: time) : trigger.finish()
  }

  public mutating func tick(now: MonotonicInstant) -> [Step] { trigger.tick(now: now) }

  public mutating func finish() -> [Step] { trigger.finish() }
}
