internal import HubCore
internal import Hummingbird

/// `/healthz`, `/metrics` and the public keys.
struct ServiceRoutes {
  let hub: Hub
  let health: StoreHealth
  let tokens: TokenAuthority
  let connections: ConnectionRegistry

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/healthz") { _, _ in
      guard hub.backplane.isReady else {
        throw HTTPError(.serviceUnavailable, message: "what the hub's nodes know in common is not reached yet")
      }
      guard await health.isReadable else {
        throw HTTPError(.serviceUnavailable, message: "the store cannot be read")
      }
      return Response.text(#"{"status":"ok"}"#, type: "application/json")
    }
    router.get("/metrics") { _, _ in Response.text(await metrics(), type: "text/plain; version=0.0.4") }
    router.get("/.well-known/jwks.json") { _, _ in
      var response = Response.text(tokens.publicKeys, type: "application/jwk-set+json")
      response.headers[.cacheControl] = "max-age=300"
      return response
    }
  }

  private func metrics() async -> String {
    let (counters, gauges) = await hub.backplane.figures
    let (connected, open, members) = connections.figures
    return [
      metric("presences", "gauge", gauges.presences),
      metric("event_streams", "gauge", gauges.eventStreams),
      gauges.liveSessions.map { metric("live_sessions", "gauge", $0) } ?? "",
      metric("archive_transfers", "gauge", gauges.archiveTransfers),
      metric("presence_updates_total", "counter", counters.presenceUpdates),
      metric("presence_refused_total", "counter", counters.presenceRefused),
      metric("nearby_queries_total", "counter", counters.nearbyQueries),
      metric("calls_placed_total", "counter", counters.callsPlaced),
      metric("calls_refused_total", "counter", counters.callsRefused),
      metric("events_published_total", "counter", counters.eventsPublished),
      metric("event_streams_opened_total", "counter", counters.streamsOpened),
      metric("event_streams_overrun_total", "counter", counters.streamsOverrun),
      metric("archive_requests_total", "counter", counters.archiveTransfers),
      metric("archive_timeouts_total", "counter", counters.archiveTimeouts),
      metric("connections", "gauge", open),
      metric("member_connections", "gauge", members),
      metric("connections_total", "counter", connected.opened),
      metric("connections_evicted_total", "counter", connected.evicted),
      metric("connections_refused_total", "counter", connected.refused),
      metric("connections_stalled_total", "counter", connected.stalled),
      metric("requests_timed_out_total", "counter", connected.timedOut),
      metric("requests_malformed_total", "counter", connected.malformed),
    ].joined()
  }

  private func metric(_ name: String, _ type: String, _ value: Int) -> String {
    "# TYPE livesessions_hub_\(name) \(type)\nlivesessions_hub_\(name) \(value)\n"
  }
}
