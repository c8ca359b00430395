import Glibc
import MediaCore
import RealtimeRuntime

/// The wall clock, which may jump: for names and labels only, never for media.
enum WallClock {
  /// CLOCK_BOOTTIME less CLOCK_MONOTONIC, in milliseconds.
  static func slept() -> Int64 {
    var (boot, monotonic) = (timespec(), timespec())
    clock_gettime(CLOCK_MONOTONIC, &monotonic)
    clock_gettime(CLOCK_BOOTTIME, &boot)
    return Int64(boot.tv_sec - monotonic.tv_sec) * 1_000 + Int64(boot.tv_nsec - monotonic.tv_nsec) / 1_000_000
  }

  /// From 1970 to the epoch of a WebM file's DateUTC.
  static let millisecondsUntil2001: Int64 = 978_307_200_000

  /// Whether the kernel's clock is disciplined by NTP, GPS or the like (adjtimex).
  static var isSynchronized: Bool { ClockTrust.isSynchronized }
}

/// Reads the wall clock; tests hand in one that jumps.
struct WallClockReader: Sendable {
  var read: @Sendable () -> (milliseconds: Int64, isSynchronized: Bool) = {
    (wallClockMilliseconds(), WallClock.isSynchronized)
  }
  /// Milliseconds that the machine has slept since it booted, while the media timeline stood still.
  var slept: @Sendable () -> Int64 = { WallClock.slept() }
}

/// A day of the Gregorian calendar in UTC: the folder in which an archive lies.
struct CalendarDay: Hashable {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// - Parameter milliseconds: since 1970.
  init(milliseconds: Int64) {
    // Days are counted from 0000-03-01, so that leap days end a year, in eras of 400 years.
    let days =
      (milliseconds >= 0 ? milliseconds : milliseconds.saturatingSubtracting(86_399_999)) / 86_400_000 + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Reads what `components` writes; `nil` for anything else.
  init?(components: [String]) {
    guard components.count == 3, let year = Int64(components[0]), let month = Int64(components[1]),
      let day = Int64(components[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard self.components == components else { return nil }
  }

  /// Path components, for example `2026`, `11`, `21`.
  var components: [String] { [Self.pad(year, 4), Self.pad(month, 2), Self.pad(day, 2)] }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
