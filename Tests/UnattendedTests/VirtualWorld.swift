import MediaCore
import SystemSupport

@testable import Archive

/// True time, and what a device without a battery for its clock believes of it.
struct VirtualTime {
  /// Milliseconds since 1970.
  private(set) var truth: Int64
  /// What the wall clock is ahead of the truth, in milliseconds.
  var error: Int64 = 0
  /// Whether a time server has set the clock.
  var isTrusted = true
  private var booted: Int64

  /// - Parameter start: milliseconds since 1970.
  init(start: Int64) { (truth, booted) = (start, start) }

  var wall: Int64 { truth + error }
  var monotonic: MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .milliseconds(1_000 + truth - booted) }

  var moment: BootMoment { BootMoment(boot: "\(booted)", milliseconds: 1_000 + truth - booted) }

  mutating func pass(_ milliseconds: Int64) { truth += milliseconds }

  /// The power comes back.
  ///
  /// - Parameter hasBattery: whether the clock went on meanwhile; it begins in 1970 otherwise.
  mutating func boot(hasBattery: Bool) {
    booted = truth
    (error, isTrusted) = (hasBattery ? error : -truth, false)
  }

  mutating func synchronize() { (error, isTrusted) = (0, true) }
}

/// Central European time as its law says: an hour more than UTC, and another from the last Sunday of March to that of October,
/// at one o'clock UTC.
enum CentralEuropeanTime {
  /// Minutes since midnight.
  static func minuteOfDay(_ milliseconds: Int64) -> Int {
    let minutes = milliseconds / 60_000 + (isSummer(milliseconds) ? 120 : 60)
    return Int(minutes % 1_440)
  }

  static func isSummer(_ milliseconds: Int64) -> Bool {
    let day = CalendarDay(milliseconds: milliseconds)
    guard day.month == 3 || day.month == 10 else { return (4...9).contains(day.month) }
    // 1970-01-01 was a Thursday; both months have 31 days.
    let weekday = (milliseconds / 86_400_000 + 4) % 7
    let lastSunday = 31 - (weekday + 31 - day.day) % 7
    let isPast = day.day > lastSunday || day.day == lastSunday && milliseconds / 3_600_000 % 24 >= 1
    return isPast == (day.month == 3)
  }
}

/// What may change in the world while the code under test reads it.
final class SharedReadings: Sendable {
  private let now = Mutex<Int64?>(nil)
  private let moment = Mutex(BootMoment(boot: "", milliseconds: 0))
  private let disk = Mutex<DiskState?>(nil)

  func set(now: Int64?, moment: BootMoment, disk: DiskState?) {
    self.moment.withLock { $0 = moment }
    self.now.withLock { $0 = now }
    self.disk.withLock { $0 = disk }
  }

  var surroundings: RetentionJob.Surroundings {
    RetentionJob.Surroundings(
      now: { self.now.withLock { $0 } }, moment: { self.moment.withLock { $0 } },
      disk: { self.disk.withLock { $0 } })
  }
}
