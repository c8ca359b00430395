import CLinux
import Glibc
public import MediaCore

/// The wall clock was set, or the kernel's trust in it changed.
public struct ClockChange: Sendable, Hashable {
  /// Whether the kernel calls the clock synchronised from now on.
  public var isSynchronized: Bool
  /// Whether that is new.
  public var isTrustNew: Bool
  /// How far the clock was set; zero when it was not.
  public var jump: TimeSpan
}

/// The wall clock at one moment.
struct ClockReading: Hashable {
  var isSynchronized: Bool
  /// CLOCK_REALTIME less CLOCK_BOOTTIME, which only setting the clock changes: suspending the machine does not, and
  /// slewing moves both.
  var offset: TimeSpan

  init(isSynchronized: Bool, offset: TimeSpan) {
    self.isSynchronized = isSynchronized
    self.offset = offset
  }

  static func now() -> ClockReading {
    ClockReading(
      isSynchronized: ClockTrust.isSynchronized, offset: nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_BOOTTIME))
  }

  private static func nanoseconds(_ clock: clockid_t) -> TimeSpan {
    var time = timespec()
    clock_gettime(clock, &time)
    return TimeSpan(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

/// Compares readings of the clock.
struct ClockComparison {
  /// Reading two clocks one after the other may differ by a pause in between.
  private static let tolerance = TimeSpan.seconds(1)

  private(set) var last: ClockReading

  init(_ first: ClockReading) { last = first }

  /// What has changed since the reading that ``last`` holds; smaller steps add up until they are worth reporting.
  mutating func update(_ reading: ClockReading) -> ClockChange? {
    let difference = reading.offset - last.offset
    let hasJumped = difference >= Self.tolerance || difference <= TimeSpan.zero - Self.tolerance
    let isTrustNew = reading.isSynchronized != last.isSynchronized
    guard hasJumped || isTrustNew else { return nil }
    last = reading
    return ClockChange(
      isSynchronized: reading.isSynchronized, isTrustNew: isTrustNew, jump: hasJumped ? difference : .zero)
  }
}

extension ClockChange {
  /// How the clock was set, such as `forward by 12 s`, in the largest unit that leaves two digits.
  public var jumpText: String {
    let units: [(name: String, milliseconds: Int64)] = [
      ("days", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]
    let size = abs(jump.milliseconds)
    let unit = units.first { size >= 10 * $0.milliseconds } ?? ("ms", 1)
    return "\(jump < .zero ? "back" : "forward") by \(size / unit.milliseconds) \(unit.name)"
  }
}
