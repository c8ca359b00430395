/// Where the hub's event stream is resumed when it breaks, and after what pause.
struct EventStreamResumption {
  /// The hub has greeted on the present stream.
  var isOpen = false
  /// Of the last event that was handed over; sent as `Last-Event-ID`. Empty before the first.
  var lastEventID = ""
  /// The least pause before the next attempt, as the hub asks.
  var reconnectionTime = Duration.zero
  /// Whether an event was skipped before, so that it is logged once.
  var hasSkipped = false
}
