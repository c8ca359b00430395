/// How far a call has come.
public enum CallPhase: Sendable, Equatable {
  /// Will be answered after the policy's delay; it rings for the caller.
  case delaying
  /// A person at the device is to decide.
  case ringing
  /// The media plane makes the answer.
  case answering
  /// The media plane makes the offer of a call that this device places.
  case offering
  /// The hub has the offer, or is being handed it.
  case calling
  /// It rings at the other side.
  case alerting
  /// Answered; no media yet.
  case connecting
  /// Media flows.
  case connected
  /// Over, with a ``RejectReason``, an ``EndReason``, or what the hub said.
  case ended(reason: String)

  /// A short name for displays.
  public var name: String {
    switch self {
    case .delaying, .ringing, .alerting: "ringing"
    case .offering, .calling: "calling"
    case .answering, .connecting: "connecting"
    case .connected: "connected"
    case .ended: "ended"
    }
  }

  /// Whether the media plane has both descriptions, or makes the second.
  var isAnswered: Bool {
    switch self {
    case .answering, .connecting, .connected: true
    case .delaying, .ringing, .offering, .calling, .alerting, .ended: false
    }
  }

  /// Whether the other side of a call that this device places has not answered yet.
  var awaitsAnswer: Bool {
    switch self {
    case .offering, .calling, .alerting: true
    case .delaying, .ringing, .answering, .connecting, .connected, .ended: false
    }
  }

  var isEnded: Bool { if case .ended = self { true } else { false } }
}
