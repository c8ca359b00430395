import ICE
import MediaCore

/// What a transport reports; its owner drains ``PeerTransport/takeEvent()`` after each input.
enum TransportEvent {
  /// ICE and DTLS are done: protected packets come and go.
  case connected
  case gathering(GatheringEvent)
  /// A restart of ICE would do the path good.
  case restartUseful
  /// The round trip of the path in use, as requested with ``PeerTransport/measuring``.
  case roundTrip(TimeSpan)
  /// How long a check that measures the round trip has waited for its answer.
  case roundTripPending(TimeSpan)
  /// Nothing more comes or goes.
  case ended(PeerSessionEnd)
}
