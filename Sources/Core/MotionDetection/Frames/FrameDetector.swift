public import EventDetection
public import MediaCore

/// What of a camera's frames a source of events judges.
public enum FrameAnalysis: Hashable, Sendable {
  /// What moves in a zone.
  case motion(MotionZone)
  /// What is done to the camera.
  case tampering
  /// How bright the frame is.
  case brightness
}

/// What the analysis of a frame has shown; nil of what was not analysed, or not found.
public struct FrameFindings: Hashable, Sendable {
  /// In the source's own zone.
  public var motion: MotionObservation?
  public var tampering: CameraTampering?
  /// Per cent: 0 is black, 100 white.
  public var brightness: Double?

  public init(
    motion: MotionObservation? = nil, tampering: CameraTampering? = nil, brightness: Double? = nil
  ) {
    self.motion = motion
    self.tampering = tampering
    self.brightness = brightness
  }
}

/// Judges a camera's frames, about ten a second, on the thread that encodes video: allocates only when something is noticed.
public protocol FrameDetector: EventDetector {
  /// What it judges.
  var analysis: FrameAnalysis { get }

  mutating func take(_ findings: FrameFindings, at time: MonotonicInstant) -> [Step]

  /// No frames come; called each second meanwhile, in place of ``EventDetector/tick(now:)``.
  mutating func miss(at time: MonotonicInstant) -> [Step]
}

extension FrameDetector {
  public mutating func miss(at time: MonotonicInstant) -> [Step] { tick(now: time) }
}
