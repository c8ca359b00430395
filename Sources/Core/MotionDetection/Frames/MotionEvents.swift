public import EventDetection
public import MediaCore
internal import Signalling

/// Makes events of what moves in a zone.
public struct MotionEvents: FrameDetector {
  private let zone: MotionZone
  private var trigger: EventTrigger<FrameRegion>

  public init(_ zone: MotionZone, _ timing: EventTiming) {
    self.zone = zone
    trigger = EventTrigger(timing)
  }

  public var analysis: FrameAnalysis { .motion(zone) }

  public var detail: String? { nil }

  public mutating func take(_ findings: FrameFindings, at time: MonotonicInstant) -> [Step] {
    trigger.take(findings.motion.map { EventTrigger.Signal(score: $0.score, place: $0.region) }, at: time)
  }

  public mutating func tick(now: MonotonicInstant) -> [Step] { trigger.tick(now: now) }

  public mutating func finish() -> [Step] { trigger.finish() }
}
