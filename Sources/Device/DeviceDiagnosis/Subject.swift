import CallPolicy
import DeviceConfiguration
import Glibc
import SystemSupport
import TLSClient

/// What all checks know: the files, as far as they can be read, the daemon's user, and its status.
struct Subject: Sendable {
  var configuration: DeviceConfiguration
  /// Nil where it has mistakes.
  var policy: CallPolicy?
  var instance = DeviceInstance.unnamed
  var account: ServiceAccount
  var unit: ServiceUnit
  var daemon: DaemonState
  /// Where systemd's `LoadCredential=` finds what the unit names.
  var credentialStore = "/etc/credstore"

  /// How other machines are reached; nil where the proxy's settings or secrets cannot be read.
  var route: ProxyRoute? {
    let stored = credential(HubSettings.proxyCredentialName)
    return try? configuration.hub.route(credentialsDirectory: nil, storedCredentials: stored) { name in
      getenv(name).map { String(cString: $0) }
    }
  }

  /// The enrolment key that the shipped unit hands the daemon.
  var credential: String { credential(HubSettings.credentialName) }

  /// What the shipped unit hands the daemon by this name.
  func credential(_ name: String) -> String { "\(credentialStore)/\(instance.credentialFile(name))" }
}
