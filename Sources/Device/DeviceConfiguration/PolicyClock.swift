public import CallPolicy
import Glibc
import RealtimeRuntime

/// Turns the wall clock into the local times that a policy's rules test.
public enum PolicyClock {
  /// The local times in zones, now. Those that the system has lost are left out: their times are unknown.
  public static func localTimes(in zones: Set<PolicyTimeZone>) -> [PolicyTimeZone: LocalTime] {
    zones.isEmpty ? [:] : localTimes(in: zones, at: Int64(time(nil)), isClockTrusted: ClockTrust.isSynchronized)
  }

  /// Whether one of these hours is now; not while the clock is not synchronised, or a zone cannot be read.
  public static func isNow(_ hours: [WeeklyHours]) -> Bool { isNowIfKnown(hours) == true }

  /// Whether one of these hours is now; nil while the clock is not synchronised, or a zone that matters cannot be read.
  public static func isNowIfKnown(_ hours: [WeeklyHours]) -> Bool? {
    guard !hours.isEmpty else { return false }
    guard ClockTrust.isSynchronized else { return nil }
    let times = localTimes(in: Set(hours.map(\.timeZone)), at: Int64(time(nil)), isClockTrusted: true)
    if hours.contains(where: { hours in times[hours.timeZone].map(hours.contains) ?? false }) { return true }
    return hours.allSatisfy { times[$0.timeZone] != nil } ? false : nil
  }

  /// The local times in `zones` at a time in seconds since 1970.
  public static func localTimes(
    in zones: Set<PolicyTimeZone>, at time: Int64, isClockTrusted: Bool
  ) -> [PolicyTimeZone: LocalTime] {
    var times: [PolicyTimeZone: LocalTime] = [:]
    for zone in zones {
      guard let offset = offset(of: zone, at: time) else { continue }
      times[zone] = localTime(time + Int64(offset), isClockTrusted: isClockTrusted)
    }
    return times
  }

  private static func offset(of zone: PolicyTimeZone, at time: Int64) -> Int? {
    switch zone {
    case .named(let name): TimeZoneTable(name: name)?.offset(at: time)
    case .system: DeviceTimeZone.current.offset(at: time)
    }
  }

  private static func localTime(_ seconds: Int64, isClockTrusted: Bool) -> LocalTime {
    let secondOfDay = (seconds % 86_400 + 86_400) % 86_400
    let day = (seconds - secondOfDay) / 86_400
    // Day 0 of 1970 was a Thursday.
    let weekday = Weekday.allCases[Int(clamping: ((day + 3) % 7 + 7) % 7)]
    return LocalTime(weekday: weekday, minuteOfDay: Int(clamping: secondOfDay / 60), isClockTrusted: isClockTrusted)
  }
}
