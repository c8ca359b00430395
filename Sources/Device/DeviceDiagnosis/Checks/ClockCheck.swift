import CallPolicy
import ControlMessages
import DeviceConfiguration
import Glibc
import RealtimeRuntime

/// Whether the wall clock can be believed, and which time zone it is shown in.
struct ClockCheck {
  let subject: Subject
  var zone = DeviceTimeZone.current
  var isSynchronized: Bool { subject.daemon.status?.clockSynchronized ?? ClockTrust.isSynchronized }

  func findings() -> [Finding] { synchronization() + [timeZone()] }

  private func timeZone() -> Finding {
    let here = zone.text(at: Int64(time(nil)))
    guard let known = subject.daemon.status?.timeZone else { return Finding(.clock, .ok, "time zone \(here)") }
    guard known != here else { return Finding(.clock, .ok, "time zone \(known)") }
    return Finding(
      .clock, .warning, "the daemon's time zone is \(known), that of this command \(here)",
      remedy: "set one by timedatectl set-timezone, and TZ neither here nor for the service, or alike in both")
  }

  private func synchronization() -> [Finding] {
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
