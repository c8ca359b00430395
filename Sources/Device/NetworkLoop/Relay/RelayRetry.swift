import ICE
import MediaCore

/// A TURN server to which a session has no link, until it is tried anew.
struct RelayRetry {
  let server: ICEServerList.Relay
  let running: RunningSession
  let failures: RelayFailures
  let due: MonotonicInstant
}
