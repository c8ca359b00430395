/// How far a call has come.
public enum CallPhase: Sendable, Equatable {
  /// Will be answered after the policy's delay; the caller hears ringing.
  case delaying
  /// Somebody at the device is to decide.
  case ringing
  /// The media plane makes the answer.
  case answering
  /// The answer is on its way; no media yet.
  case connecting
  /// Media flows.
  case connected
  /// Over, with a ``RejectReason``, an ``EndReason``, or what the hub said.
  case ended(reason: String)

  /// One word for displays.
  public var name: String {
    switch self {
    case .delaying, .ringing: "ringing"
    case .answering, .connecting: "connecting"
    case .connected: "connected"
    case .ended: "ended"
    }
  }

  var isEnded: Bool { if case .ended = self { true } else { false } }
}
