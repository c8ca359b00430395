import ArgumentParser
import CommandSuggestions
import CallPolicy
import DeviceConfiguration

/// The time that a policy is explained for.
struct ExplainedTime: ParsableArguments {
  @Option(
    help: "The time of the request, \(TimeExpression.examples), \"in 2h\" or \"Sat 23:00\"; now without it.",
    transform: TimeExpression.parse)
  var at: TimeExpression?

  /// The local times now, or at the time that was named, which is trusted.
  func localTimes(in zones: Set<PolicyTimeZone>) -> [PolicyTimeZone: LocalTime] {
    guard let at else { return PolicyClock.localTimes(in: zones) }
    return PolicyClock.localTimes(in: zones, at: at.seconds, isClockTrusted: true)
  }
}
