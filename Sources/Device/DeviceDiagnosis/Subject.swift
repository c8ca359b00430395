import CallPolicy
import DeviceConfiguration

/// What all checks know: the files, as far as they can be read, the daemon's user, and its status.
struct Subject: Sendable {
  var configuration: DeviceConfiguration
  /// Nil where it has mistakes.
  var policy: CallPolicy?
  var account: ServiceAccount
  var unit: ServiceUnit
  var daemon: DaemonState
  /// Where systemd's `LoadCredential=` finds what the unit names.
  var credentialStore = "/etc/credstore"

  /// The enrolment key that the shipped unit hands the daemon.
  var credential: String { "\(credentialStore)/livesessions.\(HubSettings.credentialName)" }
}
