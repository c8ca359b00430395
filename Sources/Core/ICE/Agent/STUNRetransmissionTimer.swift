import MediaCore

/// Repeats a request at growing intervals and gives up (RFC 8489 §6.2.1).
struct STUNRetransmissionTimer {
  private(set) var deadline = MonotonicInstant.distantFuture
  private var interval = TimeSpan.zero
  private var transmissionsLeft = 0

  init() {}

  /// The first transmission has just been made.
  init(now: MonotonicInstant, initial: TimeSpan, configuration: ICEConfiguration) {
    interval = initial
    transmissionsLeft = configuration.maximumTransmissions - 1
    deadline = now + interval
  }

  enum Action {
    case wait
    case transmit
    case giveUp
  }

  mutating func advance(now: MonotonicInstant, configuration: ICEConfiguration) -> Action {
    guard now >= deadline else { return .wait }
    guard transmissionsLeft > 0 else {
      deadline = .distantFuture
      return .giveUp
    }
    transmissionsLeft -= 1
    interval = max(interval, min(interval * 2, configuration.maximumRetransmissionTimeout))
    // The last transmission is given twice as long to be answered.
    deadline = now + (transmissionsLeft == 0 ? interval * 2 : interval)
    return .transmit
  }
}
