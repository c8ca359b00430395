public import EventDetection
public import MediaCore
internal import Signalling

/// Makes events of tampering with the camera; also of a camera from which no frames come.
public struct TamperEvents: FrameDetector {
  private static let disconnected = "disconnected"

  private var trigger = EventTrigger<FrameRegion>(.debouncedElsewhere)
  /// `covered`, `moved`, `defocused` or `disconnected`.
  public private(set) var detail: String?

  public init() {}

  public var analysis: FrameAnalysis { .tampering }

  public mutating func take(_ findings: FrameFindings, at time: MonotonicInstant) -> [Step] {
    guard let tampering = findings.tampering else { return trigger.finish() }
    return take(tampering.rawValue, at: time)
  }

  public mutating func miss(at time: MonotonicInstant) -> [Step] { take(Self.disconnected, at: time) }

  public mutating func tick(now: MonotonicInstant) -> [Step] { trigger.tick(now: now) }

  public mutating func finish() -> [Step] { trigger.finish() }

  private mutating func take(_ variety: String, at time: MonotonicInstant) -> [Step] {
    detail = variety
    return trigger.take(EventTrigger.Signal(score: 100), at: time)
  }
}
