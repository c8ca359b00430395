internal import Foundation
public import HubCore
public import HubStore
public import Hummingbird
internal import HummingbirdCore
public import Logging
internal import ServiceLifecycle

/// The hub as a server: everything put together.
public struct HubServer: Sendable {
  let configuration: HubConfiguration
  let store: any HubStore
  let hub: Hub
  let identities: HubIdentities
  let connections: ConnectionRegistry
  private let status: StatusReport
  let webhooks: WebhookService
  let certificate: HubCertificate?
  let push: PushService?
  let views: ViewService
  let history: CallHistory
  let logger: Logger

  /// - Parameters:
  ///   - passwordCost: of the decoy for unknown titles; tests lower it.
  ///   - makeBackplane: where what the hub's nodes know in common lies.
  public init(
    configuration: HubConfiguration, store: any HubStore, limits: HubLimits = HubLimits(),
    passwordCost: PasswordHash.Cost = .standard, logger: Logger,
    makeBackplane: (HubLimits, @escaping @Sendable (HubActions) -> Void) -> any HubBackplane = Self.memoryBackplane
  ) async throws {
    self.configuration = configuration
    self.store = store
    self.logger = logger
    certificate = try configuration.tls.map {
      try HubCertificate($0, hosts: configuration.allowedHosts, logger: logger)
    }
    var limits = limits
    limits.heartbeatInterval = configuration.heartbeatInterval
    if let configuration = configuration.push {
      push = try await PushService(configuration, store: store, limits: limits, logger: logger)
    } else {
      push = nil
    }
    history = CallHistory(retention: configuration.calls.retention, store: store, logger: logger)
    hub = Hub(limits: limits, push: push, history: history) { makeBackplane(limits, $0) }
    identities = try await HubIdentities(
      configuration, store: store, streams: hub.streams, limits: limits, passwordCost: passwordCost, logger: logger)
    connections = ConnectionRegistry(configuration, logger: logger)
    views = ViewService(
      hub: hub,
      authentication: ViewerAuthentication(
        store: store, tokens: identities.tokens, principals: identities.principals, connections: connections),
      turn: configuration.turn.map(TURNRESTCredentials.init), audit: identities.audit)
    webhooks = WebhookService(configuration.webhooks, limits: limits, logger: logger)
    status = StatusReport(
      hub: hub, connections: connections, admission: identities.admission, webhooks: webhooks, push: push,
      certificate: certificate, views: views)
    try await warnOfLookAlikeAccounts(in: store, logger: logger)
  }

  /// For a hub of one node.
  public static func memoryBackplane(
    _ limits: HubLimits, _ perform: @escaping @Sendable (HubActions) -> Void
  ) -> any HubBackplane {
    let epoch = String(UInt64.random(in: .min ... .max), radix: 36)
    return MemoryBackplane(epoch: epoch, limits: limits, perform: perform)
  }

  /// `onRunning` receives the port that the server listens on; `onSignOfLife` runs every 5 s for as long as time passes
  /// for the hub.
  public func makeApplication(
    onRunning: @escaping @Sendable (Int) async -> Void = { _ in }, onSignOfLife: @escaping @Sendable () -> Void = {}
  ) -> some ApplicationProtocol {
    let address = configuration.listen
    let responder = makeRouter().buildResponder()
    let application = Application(
      responder: responder,
      configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
      services: [
        BackplaneService(backplane: hub.backplane),
        HubClockService(hub: hub, admission: identities.admission, onSignOfLife: onSignOfLife),
        ConnectionUpkeep(connections: connections, logger: logger),
        AccountWatch(
          store: store, principals: identities.principals, streams: hub.streams, desk: identities.logins,
          backplane: hub.backplane, views: views, logger: logger),
        AuditWriting(audit: identities.audit),
        CallKeeping(history: history, backplane: hub.backplane),
        webhooks, identities.seen, identities.reports,
      ] + optionalServices,
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? address.port) },
      logger: logger)
    let channel = HubChannel(
      service: RequestService(
        responder: responder,
        hosts: HostOriginCheck(hosts: configuration.effectiveHosts, origins: configuration.allowedOrigins),
        trustedProxies: configuration.trustedProxies, logger: logger),
      eventLoops: application.eventLoopGroup, registry: connections, certificate: certificate)
    return HubApplication(base: application, channel: channel, connections: connections, streams: hub.streams)
  }

  /// Puts a renewed certificate in force for new connections.
  public func reload() {
    guard let certificate else {
      return logger.notice("there is no certificate to reload; other settings take effect after a restart")
    }
    certificate.reload(now: TokenAuthority.now)
  }

  private var optionalServices: [any Service] {
    var services: [any Service] = []
    if let path = configuration.statusSocket {
      services.append(StatusSocket(path: path, logger: logger) { [status] in await status.read() })
    }
    if let push { services.append(PushSending(push: push, backplane: hub.backplane)) }
    if let certificate { services.append(CertificateUpkeep(certificate: certificate)) }
    return services
  }
}

private struct BackplaneService: Service {
  let backplane: any HubBackplane

  func run() async throws {
    await cancelWhenGracefulShutdown { await backplane.run() }
  }
}
