public import EventDetection
public import MediaCore

/// What an event source analyses in a camera's frames.
public enum FrameAnalysis: Hashable, Sendable {
  /// What moves in a zone.
  case motion(MotionZone)
  /// Tampering with the camera.
  case tampering
  /// How bright the frame is.
  case brightness
}

/// The results of a frame's analysis; nil for what was not analysed, or not found.
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
  /// The analysis that it needs.
  var analysis: FrameAnalysis { get }

  mutating func take(_ findings: FrameFindings, at time: MonotonicInstant) -> [Step]

  /// No frames come; called each second meanwhile, in place of `EventDetector/tick(now:)`.
  mutating func miss(at time: MonotonicInstant) -> [Step]
}

extension FrameDetector {
  public mutating func miss(at time: MonotonicInstant) -> [Step] { tick(now: time) }
}
