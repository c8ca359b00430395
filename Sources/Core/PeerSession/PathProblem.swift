import MediaCore
import SDP

/// Why a session has no path to its peer yet, as far as known here.
public enum PathProblem: Sendable, Hashable, CaseIterable {
  /// The peer names its addresses only by multicast DNS, and none of its checks has come.
  case onlyHiddenAddresses
  /// The peer names no address that can be used, and none of its checks has come.
  case noAddresses
  /// The peer's addresses do not answer.
  case noAnswer
  /// Checks get through, and the DTLS handshake does not end.
  case noHandshake
}

extension PathProblem: CustomStringConvertible {
  /// What is wrong, why, and what helps.
  public var description: String {
    switch self {
    case .onlyHiddenAddresses:
      "the other side hides its addresses behind names of multicast DNS, and none of its checks has come: a firewall or another "
        + "network lies between; a TURN server at the hub helps ([turn] in hub.toml), and so does letting the browser "
        + "use a microphone or camera, since it then discloses its addresses"
    case .noAddresses:
      "the other side names no address that can be used, and none of its checks has come; a TURN server at the hub helps "
        + "([turn] in hub.toml)"
    case .noAnswer:
      "no address of the other side answers: a firewall lies between; let UDP through, or have a TURN server at the hub "
        + "([turn] in hub.toml)"
    case .noHandshake:
      "checks of the path get through, and the DTLS handshake does not end: either the other side has given up, or "
        + "datagrams of 1,400 octets get lost on the way; check the path's MTU"
    }
  }
}

/// Notices that a session finds no path in time.
struct PathWatch {
  /// How long without a path until it is reported as a problem.
  private static var timeout: TimeSpan { .seconds(8) }

  private(set) var deadline = MonotonicInstant.distantFuture
  private var hasBegun = false
  private var hasUsable = false
  private var hasHidden = false

  /// The peer has described itself; without effect from the second time on.
  mutating func begin(now: MonotonicInstant) {
    guard !hasBegun else { return }
    hasBegun = true
    deadline = now + Self.timeout
  }

  mutating func note(_ candidate: Candidate) {
    if candidate.isUsable { hasUsable = true } else if candidate.isMulticastDNS { hasHidden = true }
  }

  /// There is a path, or the session is over.
  mutating func end() { deadline = .distantFuture }

  /// Why there is none; nil before its time, and after it was reported once.
  ///
  /// - Parameter isChecked: checks have found a path.
  mutating func takeProblem(isChecked: Bool, now: MonotonicInstant) -> PathProblem? {
    guard deadline <= now else { return nil }
    end()
    if isChecked { return .noHandshake }
    return hasUsable ? .noAnswer : hasHidden ? .onlyHiddenAddresses : .noAddresses
  }
}
