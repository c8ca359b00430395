import ArgumentParser
import CallPolicy
import DeviceConfiguration
import Glibc

/// The time that a policy is explained for.
struct ExplainedTime: ParsableArguments {
  @Option(
    help: """
      The time of the request: now, "in 2h", "tomorrow 09:00", "Sat 23:00", "2026-11-21 20:14", 2026-11-21T20:14:00Z; now \
      without it.
      """)
  var at: String?

  func validate() throws { _ = try seconds() }

  /// Seconds since 1970; nil where no time is named.
  func seconds() throws -> Int64? {
    guard let at else { return nil }
    guard let time = TimeExpression(at, now: Int64(time(nil))) else {
      throw ValidationError(
        "--at must be a time, such as \"in 2h\", \"tomorrow 09:00\", \"Sat 23:00\" or 2026-11-21T20:14:00Z")
    }
    return time.seconds
  }

  /// The local times now, or at the time that was named, which is trusted.
  func localTimes(in zones: Set<PolicyTimeZone>) throws -> [PolicyTimeZone: LocalTime] {
    guard let seconds = try seconds() else { return PolicyClock.localTimes(in: zones) }
    return PolicyClock.localTimes(in: zones, at: seconds, isClockTrusted: true)
  }
}
