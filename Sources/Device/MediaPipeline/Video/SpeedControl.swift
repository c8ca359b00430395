internal import MediaCore

/// Keeps encoding within the available time: has more threads share a frame, and makes the encoder faster, when it takes
/// most of the interval between frames; and takes both back when there is time again.
///
/// Threads come first, since they cost no quality. Those of libvpx spin while they wait for each other, so where other
/// work has the processors they gain nothing and burn much: they are kept only if they shorten a frame.
///
/// It never asks for more than the usual effort: on a fast machine the CPU is left to others.
struct SpeedControl {
  /// What has to be changed for the next frame.
  enum Change {
    case none, speed
    /// Takes a new encoder, which begins with a key frame.
    case threads
  }

  /// libvpx's `cpu-used` to be used now.
  private(set) var speed: Int
  /// That share a frame.
  private(set) var threads = 1
  /// The moving average of a frame's encoding time.
  var encodeTime: TimeSpan { TimeSpan(nanoseconds: Int64(saturating: averageTime)) }

  private let usual: Int
  private let maximumThreads: Int
  private var averageTime = 0.0
  /// Of the interval, what encoding takes; averaged.
  private var load = Self.middleLoad
  /// Frames since the last change.
  private var framesHeld = 0
  /// Since the last change, how often in succession the load has been low.
  private var lowFrames = 0
  private var lowFramesForLess = Self.firstLowFrames
  /// While more threads are tried: how many there were, and what a frame took.
  private var trial: (threads: Int, time: Double)?
  private var framesToNextTrial = 0

  /// libvpx knows no faster one.
  static let fastest = -16
  /// Above this share of the interval less is done for a frame.
  static let highLoad = 0.6
  private static let step = 2
  private static let lowLoad = 0.2
  /// Between the two: what is assumed of a speed before it is measured.
  private static let middleLoad = 0.4
  /// More than this is counted as this: one hiccup of the machine is no reason to change.
  private static let maxCounted = 2.0
  /// A speed is kept for this many frames, long enough for the averages to follow.
  private static let hold = 30
  private static let weight = 1.0 / 16
  /// Threads that do not bring a frame's time below this share of it are taken back, and tried again after
  /// ``framesBetweenTrials``.
  private static let worthwhile = 0.85
  private static let framesBetweenTrials = 9_000
  /// Of low load, before there are fewer threads; doubled each time, since it costs a key frame.
  private static let firstLowFrames = 300
  private static let maximumLowFrames = 100_000

  /// - Parameter maximumThreads: the processors that may be used.
  init(usual: Int, maximumThreads: Int = 1) {
    self.usual = usual
    self.maximumThreads = maximumThreads
    speed = usual
  }

  /// Notes how long a frame took to encode, and how long the interval to the next one is. Returns what has changed.
  mutating func note(_ time: TimeSpan, interval: TimeSpan) -> Change {
    measure(Double(time.nanoseconds), interval: Double(max(interval.nanoseconds, 1)))
    guard framesHeld >= Self.hold else { return .none }
    if let trial { return judge(trial) }
    if load > Self.highLoad { return doLess() }
    return load < Self.lowLoad ? doMore() : .none
  }

  private mutating func measure(_ time: Double, interval: Double) {
    averageTime += (time - averageTime) * (averageTime == 0 ? 1 : Self.weight)
    load += (min(time / interval, Self.maxCounted) - load) * Self.weight
    lowFrames = load < Self.lowLoad ? lowFrames + 1 : 0
    framesHeld += 1
    framesToNextTrial = max(framesToNextTrial - 1, 0)
  }
}

// MARK: - Changes

extension SpeedControl {
  private mutating func judge(_ trial: (threads: Int, time: Double)) -> Change {
    self.trial = nil
    guard averageTime > trial.time * Self.worthwhile else { return .none }
    framesToNextTrial = Self.framesBetweenTrials
    return change(threads: trial.threads)
  }

  private mutating func doLess() -> Change {
    guard threads < maximumThreads, framesToNextTrial == 0 else {
      return change(speed: max(speed - Self.step, Self.fastest))
    }
    trial = (threads, averageTime)
    return change(threads: min(threads * 2, maximumThreads))
  }

  private mutating func doMore() -> Change {
    if speed < usual { return change(speed: min(speed + Self.step, usual)) }
    guard threads > 1, lowFrames >= lowFramesForLess else { return .none }
    lowFramesForLess = min(lowFramesForLess * 2, Self.maximumLowFrames)
    return change(threads: (threads + 1) / 2)
  }

  private mutating func change(speed: Int) -> Change {
    guard speed != self.speed else { return .none }
    self.speed = speed
    restart()
    return .speed
  }

  private mutating func change(threads: Int) -> Change {
    self.threads = threads
    restart()
    return .threads
  }

  private mutating func restart() { (framesHeld, lowFrames, load) = (0, 0, Self.middleLoad) }
}
