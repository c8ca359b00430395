internal import MediaCore

/// Keeps encoding within the available time: makes the encoder faster when it takes most of the interval between
/// frames, and lets it return to its usual speed when there is time again.
///
/// It never asks for more than the usual effort: on a fast machine the CPU is left to others.
struct SpeedControl {
  /// libvpx's `cpu-used` to be used now.
  private(set) var speed: Int
  /// The moving average of a frame's encoding time.
  var encodeTime: TimeSpan { TimeSpan(nanoseconds: Int64(saturating: averageTime)) }

  private let usual: Int
  private var averageTime = 0.0
  /// Of the interval, what encoding takes; averaged.
  private var load: Double
  /// Frames since the last change.
  private var framesHeld = 0

  /// libvpx knows no faster one.
  private static let fastest = -16
  private static let step = 2
  private static let highLoad = 0.6
  private static let lowLoad = 0.2
  /// Between the two: what is assumed of a speed before it is measured.
  private static let middleLoad = 0.4
  /// More than this is counted as this: one hiccup of the machine is no reason to change.
  private static let maxCounted = 2.0
  /// A speed is kept for this many frames, long enough for the averages to follow.
  private static let hold = 30
  private static let weight = 1.0 / 16

  init(usual: Int) {
    self.usual = usual
    speed = usual
    load = Self.middleLoad
  }

  /// Notes how long a frame took to encode, and how long the interval to the next one is. Returns whether ``speed``
  /// has changed.
  mutating func note(_ time: TimeSpan, interval: TimeSpan) -> Bool {
    let nanoseconds = Double(time.nanoseconds)
    averageTime += (nanoseconds - averageTime) * (averageTime == 0 ? 1 : Self.weight)
    load += (min(nanoseconds / Double(max(interval.nanoseconds, 1)), Self.maxCounted) - load) * Self.weight
    framesHeld += 1
    guard framesHeld >= Self.hold else { return false }
    if load > Self.highLoad { return change(to: max(speed - Self.step, Self.fastest)) }
    if load < Self.lowLoad { return change(to: min(speed + Self.step, usual)) }
    return false
  }

  private mutating func change(to speed: Int) -> Bool {
    guard speed != self.speed else { return false }
    self.speed = speed
    framesHeld = 0
    load = Self.middleLoad
    return true
  }
}
