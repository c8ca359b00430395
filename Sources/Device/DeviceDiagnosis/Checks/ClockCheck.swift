import CallPolicy
import ControlMessages
import RealtimeRuntime

/// Whether the wall clock can be believed.
struct ClockCheck {
  let subject: Subject
  var isSynchronized: Bool { subject.daemon.status?.clockSynchronized ?? ClockTrust.isSynchronized }

  func findings() -> [Finding] {
    guard !isSynchronized else { return [Finding(.clock, .ok, "is synchronised")] }
    let rules = subject.policy.map { !$0.timeZones.isEmpty } ?? false
    return [
      Finding(
        .clock, rules ? .failure : .warning,
        "is not synchronised" + (rules ? ", so no rule with hours admits a call" : ""),
        remedy: "see timedatectl; install systemd-timesyncd or chrony, and let it reach its servers")
    ]
  }
}
