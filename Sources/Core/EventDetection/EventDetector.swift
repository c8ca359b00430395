public import MediaCore
public import Signalling

/// Turns the input of one source into events. Reads no clock.
public protocol EventDetector: Sendable {
  typealias Step = EventTrigger<FrameRegion>.Step

  /// The variety of the newest event, or the newest reading, as `EventKindFacts.Detail` says; nil for nothing.
  var detail: String? { get }

  /// Whatever the time brings about; to be called each second or so.
  mutating func tick(now: MonotonicInstant) -> [Step]

  /// Detection stops: an ongoing event ends with what was known last.
  mutating func finish() -> [Step]
}

/// Judges the device's positions.
public protocol PositionDetector: EventDetector {
  mutating func take(_ fix: PositionFix, at time: MonotonicInstant) -> [Step]
}

/// Judges what the microphone captures, 20 ms at a time, on the thread of sound: allocates only when something is noticed.
public protocol SoundDetector: EventDetector {
  /// - Parameters:
  ///   - level: decibels relative to full scale.
  ///   - block: ``SmokeAlarmDetector/blockFrames`` samples of one channel, 16,000 a second.
  mutating func take(level: Double, _ block: Span<Int16>, at time: MonotonicInstant) -> [Step]
}
