import MediaCore

/// The earliest of several instants, and its purpose.
struct EarliestDeadline {
  private(set) var instant: MonotonicInstant?
  private(set) var reason: ICEDeadlineReason?

  mutating func note(_ other: MonotonicInstant, _ reason: ICEDeadlineReason) {
    if let instant, instant <= other { return }
    instant = other
    self.reason = reason
  }
}
