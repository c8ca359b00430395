internal import HubCore
internal import HubStore
internal import SafeText
internal import Signalling

/// The metrics at `/metrics`: of this node alone, so that Prometheus adds up.
struct HubMetrics {
  let hub: Hub
  let connections: ConnectionRegistry
  let admission: LoginRateLimiter
  let webhooks: WebhookService
  let push: PushService?
  let audit: AuditLog
  let certificate: HubCertificate?
  let views: ViewService
  let reports: DeviceReports

  func text() async -> String {
    var text = MetricText(prefix: "livesessions_hub_")
    let (counters, gauges) = await hub.backplane.figures
    add(gauges, to: &text)
    add(counters, to: &text)
    addConnections(to: &text)
    let refusals = admission.refusals
    text.add(
      "admission_refusals_total", .counter, "Logins and event streams that were deferred.",
      Arrival.allCases.map { MetricText.Sample(labels: [("arrival", $0.rawValue)], count: refusals[$0] ?? 0) })
    addWebhooks(to: &text)
    addAudit(to: &text)
    addViews(to: &text)
    if let certificate {
      text.add(
        "tls_certificate_expiry_timestamp_seconds", .gauge, "When the certificate expires, in seconds since 1970.",
        Int(clamping: certificate.expiry))
    }
    addDevices(to: &text)
    if let push { add(push.counts, to: &text) }
    if let redis = hub.backplane.redisFigures { add(redis, to: &text) }
    return text.text
  }

  private func addAudit(to text: inout MetricText) {
    let figures = audit.figures
    text.add("audit_entries_total", .counter, "Entries of the audit log that were written.", figures.written)
    text.add("audit_entries_lost_total", .counter, "Entries for which there was no room.", figures.lost)
    text.add("audit_entries_waiting", .gauge, "Entries that wait to be written.", figures.waiting)
  }

  private func addViews(to text: inout MetricText) {
    let figures = views.figures
    text.add("views_total", .counter, "Views by WHEP that devices have answered.", figures.begun)
    text.add("view_restarts_total", .counter, "Views whose ICE was restarted.", figures.restarted)
    text.add(
      "view_refusals_total", .counter, "Requests of viewers that were refused.",
      figures.refused.sorted { $0.key < $1.key }.map {
        MetricText.Sample(labels: [("status", "\($0.key)")], count: $0.value)
      })
  }

  private func addWebhooks(to text: inout MetricText) {
    guard let figures = webhooks.figures else { return }
    text.add("webhook_messages_total", .counter, "Events that webhooks have taken.", figures.delivered)
    text.add("webhook_messages_lost_total", .counter, "Events that webhooks did not take.", figures.lost)
    text.add("webhook_messages_waiting", .gauge, "Events that wait for webhooks.", figures.waiting)
  }

  private func addDevices(to text: inout MetricText) {
    let (versions, problems) = reports.figures
    text.add(
      "devices_reporting", .gauge, "Devices that have reported to this node in the last 40 minutes, by version.",
      versions.sorted { $0.key < $1.key }.map { MetricText.Sample(labels: [("version", $0.key)], count: $0.value) })
    text.add(
      "device_problems", .gauge, "Those of them of which a part does not work, by part.",
      (DeviceReport.parts + ["other"]).map { part in
        MetricText.Sample(labels: [("part", part)], count: problems[part] ?? 0)
      })
  }

  private func add(_ push: PushDelivery.Counts, to text: inout MetricText) {
    text.add("push_messages_total", .counter, "Messages that push services have taken.", push.taken)
    text.add("push_messages_lost_total", .counter, "Messages that push services did not take.", push.lost)
    text.add(
      "push_subscriptions_ended_total", .counter, "Subscriptions that push services said had ended.", push.removed)
  }

  private func add(_ gauges: HubGauges, to text: inout MetricText) {
    text.add("presences", .gauge, "Users who are online at this node.", gauges.presences)
    text.add("event_streams", .gauge, "Open event streams.", gauges.eventStreams)
    if let sessions = gauges.liveSessions {
      text.add("live_sessions", .gauge, "Calls that have not ended.", sessions)
    }
    text.add("archive_transfers", .gauge, "Archives being transferred to a client.", gauges.archiveTransfers)
  }

  private func add(_ counters: HubCounters, to text: inout MetricText) {
    let rows = [
      ("presence_updates_total", "Announcements and heartbeats.", counters.presenceUpdates),
      ("presence_refused_total", "Announcements of users who sent too many.", counters.presenceRefused),
      ("nearby_queries_total", "Lists of who is nearby.", counters.nearbyQueries),
      ("calls_placed_total", "Calls that were placed.", counters.callsPlaced),
      ("calls_refused_total", "Calls that were refused.", counters.callsRefused),
      ("events_published_total", "Events written to users' logs.", counters.eventsPublished),
      ("event_streams_opened_total", "Event streams that were opened.", counters.streamsOpened),
      ("event_streams_overrun_total", "Event streams closed since they lost events.", counters.streamsOverrun),
      ("archive_requests_total", "Archives that were asked for.", counters.archiveTransfers),
      ("archive_timeouts_total", "Archives that no device sent in time.", counters.archiveTimeouts),
      ("outbox_retries_total", "Changes of calls delivered for another node, or again.", counters.outboxRetries),
    ]
    for (name, help, value) in rows { text.add(name, .counter, help, value) }
  }

  private func addConnections(to text: inout MetricText) {
    let (counters, open, members) = connections.figures
    text.add("connections", .gauge, "Open connections.", open)
    text.add("member_connections", .gauge, "Connections of clients with an account.", members)
    let rows = [
      ("connections_total", "Connections that came.", counters.opened),
      ("connections_evicted_total", "Connections closed for want of room.", counters.evicted),
      ("connections_refused_total", "Connections refused for want of room.", counters.refused),
      ("connections_stalled_total", "Connections closed since their client took nothing.", counters.stalled),
      ("tls_handshakes_failed_total", "Connections without TLS, or whose TLS failed.", counters.failedHandshakes),
      ("requests_delayed_total", "Requests that waited for their turn.", connections.scheduler.delayedCount),
      ("requests_timed_out_total", "Requests that were not whole in time.", counters.timedOut),
      ("requests_malformed_total", "Requests that are not HTTP as the hub speaks it.", counters.malformed),
    ]
    for (name, help, value) in rows { text.add(name, .counter, help, value) }
  }

  private func add(_ redis: RedisFigures, to text: inout MetricText) {
    text.add("redis_connected", .gauge, "Whether Redis is reached: 1 or 0.", redis.isConnected ? 1 : 0)
    text.add("redis_connections_total", .counter, "Connections made to Redis.", redis.connections)
    text.add("redis_failures_total", .counter, "Pipelines without answer, or refused.", redis.failures)
    text.add(
      "redis_round_trip_seconds", .histogram, "From a pipeline's sending to its last reply.",
      redis.roundTrips.samples)
  }
}

extension DurationHistogram {
  fileprivate var samples: [MetricText.Sample] {
    var sum = 0
    let buckets = zip(Self.bounds, counts).map { bound, count in
      sum += count
      return MetricText.Sample(suffix: "_bucket", labels: [("le", "\(Double(bound) / 1_000_000)")], count: sum)
    }
    return buckets + [
      MetricText.Sample(suffix: "_bucket", labels: [("le", "+Inf")], count: count),
      MetricText.Sample(suffix: "_sum", value: self.sum / .seconds(1)),
      MetricText.Sample(suffix: "_count", count: count),
    ]
  }
}
