public import Signalling

/// What ``HubClient/run(_:)`` delivers.
public enum HubStreamEvent: Sendable {
  /// An event of the hub, its ids and sizes checked; the first after the stream has been opened is
  /// ``Signalling/HubEvent/hello(_:)``.
  case event(HubEvent)
  /// The event stream is gone; it is being opened again.
  case closed
}
