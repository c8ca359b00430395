public import EventDetection
public import MediaCore
internal import Signalling

/// Makes events of frames that are dark, such as those of a camera that has no light or is covered.
///
/// Half way from the level to black has a score of 50. An event is over once the frame is brighter than the level by a
/// quarter of it, so that noise ends nothing.
public struct DarknessEvents: FrameDetector {
  private var detector: ThresholdDetector

  /// - Parameter level: per cent of white; darker frames are dark.
  public init(level: Double, _ timing: EventTiming) {
    // The brightness, as negative per cent.
    detector = ThresholdDetector(
      ThresholdDetector.Limits(threshold: -level, hysteresis: level / 4, fullScore: max(level, 1)), timing)
  }

  public var analysis: FrameAnalysis { .brightness }

  /// The newest brightness, such as `4 %`.
  public var detail: String? { detector.newest.map { "\(Int(saturating: -$0.rounded())) %" } }

  public mutating func take(_ findings: FrameFindings, at time: MonotonicInstant) -> [Step] {
    guard let brightness = findings.brightness else { return tick(now: time) }
    return detector.take(-brightness, at: time)
  }

  public mutating func tick(now: MonotonicInstant) -> [Step] { detector.tick(now: now) }

  public mutating func finish() -> [Step] { detector.finish() }
}
