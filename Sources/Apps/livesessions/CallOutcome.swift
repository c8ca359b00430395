import ControlMessages

/// What became of a call that was not answered; the raw value is the exit code.
enum CallOutcome: Int32 {
  case failed = 1
  case unanswered = 3
  case rejected = 4
  case notOnline = 5

  init(_ event: DeviceEvent) {
    switch event.text {
    case "receiver-offline", "vanished", "unreachable": self = .notOnline
    case "unanswered": self = .unanswered
    default: self = event.name == "call.rejected" ? .rejected : .failed
    }
  }

  /// What a reason of the hub or of the other side means to the caller.
  static func text(for reason: String) -> String { known[reason] ?? "the call ended: \(reason)" }

  private static let known = [
    "unanswered": "no answer",
    "answered-elsewhere": "answered elsewhere",
    "declined": "the call was declined",
    "busy": "the other side is in another call",
    "not-allowed": "the other side takes no calls from this device",
    "outside-hours": "the other side takes no calls at this time",
    "rate-limited": "too many calls just now; wait a few minutes",
    "not-verified": "the other side could not be verified, or could not verify this device; the daemon's log says why",
    "not-acceptable": "the two sides have no audio or video format in common",
    "receiver-offline": "the other side is not online",
    "vanished": "the other side went offline",
    "unreachable": "the other side is not online, and its phones could not be reached",
    "glare": "the other side was calling at the same moment; that call continues instead",
    "hangup": "the call was hung up before it was answered",
    "shutdown": "the daemon is being stopped",
    "hub-unreachable": "the hub cannot be reached",
    "connection-lost": "no media got through; a firewall may be in the way",
    "rejected": "the other side did not accept the call",
    "max-duration": "the call reached the longest time allowed",
    "error": "the call could not be set up; the daemon's log says why",
  ]
}
