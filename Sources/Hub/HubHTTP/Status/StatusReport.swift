internal import HubCore
internal import SystemSupport

/// The hub's state, for the readers of its socket.
struct StatusReport: Sendable {
  let hub: Hub
  let connections: ConnectionRegistry
  let admission: LoginRateLimiter
  let webhooks: WebhookService
  let push: PushService?
  let certificate: HubCertificate?
  let views: ViewService
  private let startedAt = Instant.now

  init(
    hub: Hub, connections: ConnectionRegistry, admission: LoginRateLimiter, webhooks: WebhookService,
    push: PushService?, certificate: HubCertificate?, views: ViewService
  ) {
    (self.hub, self.connections, self.admission, self.webhooks) = (hub, connections, admission, webhooks)
    (self.push, self.certificate, self.views) = (push, certificate, views)
  }

  func read() async -> HubStatus {
    let (_, open, members) = connections.figures
    let (_, gauges) = await hub.backplane.figures
    var status = HubStatus(
      version: ProgramVersion.text, uptime: startedAt.duration(to: .now).components.seconds,
      connections: (open, members, connections.limits.total), archiveTransfers: gauges.archiveTransfers,
      admissionRefusals: admission.refusals.values.reduce(0, +), shared: await hub.backplane.status)
    status.webhooks = webhooks.figures
    status.push = await push?.figures()
    status.certificateExpiry = certificate?.expiry
    status.views = views.figures.begun
    return status
  }
}
