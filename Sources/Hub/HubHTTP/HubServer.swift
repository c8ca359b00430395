internal import Foundation
public import HubCore
public import HubStore
public import Hummingbird
internal import HummingbirdCore
public import Logging
internal import ServiceLifecycle

/// The hub as a server: everything put together.
public struct HubServer: Sendable {
  private let configuration: HubConfiguration
  private let store: any HubStore
  private let hub: Hub
  private let principals: PrincipalCache
  private let tokens: TokenAuthority
  private let authenticator: Authenticator
  private let passwords: PasswordLogins
  private let logins: LoginService
  private let connections: ConnectionRegistry
  private let admission: LoginRateLimiter
  private let status: StatusReport
  private let webhooks: WebhookService
  private let certificate: HubCertificate?
  private let push: PushService?
  private let history: CallHistory
  private let seen: SeenUsers
  private let audit: AuditLog
  private let guests: GuestService
  private let logger: Logger

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
    admission = LoginRateLimiter(rates: configuration.admission, limits: limits)
    if let configuration = configuration.push {
      push = try await PushService(configuration, store: store, limits: limits, logger: logger)
    } else {
      push = nil
    }
    history = CallHistory(retention: configuration.calls.retention, store: store, logger: logger)
    hub = Hub(limits: limits, push: push, history: history) { makeBackplane(limits, $0) }
    let memory: Duration = store.notifiesOfAccountChanges ? AccountWatch.longPause * 2 : .seconds(10)
    let endedLogins = EndedLogins()
    principals = PrincipalCache(
      store: store, allowsAnonymous: configuration.anonymousLogin, endedLogins: endedLogins, lifetime: memory)
    tokens = try await TokenAuthority(store: store, accessTokenLifetime: configuration.accessTokenLifetime)
    authenticator = Authenticator(store: store, cost: passwordCost)
    audit = AuditWriting.makeLog(store: store, limits: configuration.audit, logger: logger)
    logins = LoginService(
      store: store, tokens: tokens, ended: endedLogins, streams: hub.streams, audit: audit, logger: logger)
    passwords = PasswordLogins(
      store: store, authenticator: authenticator, tokens: tokens, desk: logins, limits: limits, passwordCost: passwordCost
    ) { [admission] account in try admission.admit(.login, of: account.id) }
    seen = SeenUsers(store: store, logger: logger)
    guests = GuestService(store: store, tokens: tokens, logins: logins, audit: audit)
    let fitted = configuration.connections.fittedToProcess()
    connections = ConnectionRegistry(limits: fitted, trustedProxies: configuration.trustedProxies)
    webhooks = WebhookService(configuration.webhooks, limits: limits, logger: logger)
    status = StatusReport(
      hub: hub, connections: connections, admission: admission, webhooks: webhooks, push: push,
      certificate: certificate)
    if fitted.total < configuration.connections.total {
      logger.notice(
        "connections: fewer than [connections] total in hub.toml, since the process may open no more files (LimitNOFILE)",
        metadata: ["total": "\(fitted.total)"])
    }
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
    let application = Application(
      responder: EventStreamResponder(base: makeRouter().buildResponder()),
      server: HTTPServerBuilder { [connections, certificate] responder in
        HubChannel(responder: responder, registry: connections, certificate: certificate)
      },
      configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
      services: [
        BackplaneService(backplane: hub.backplane),
        HubClockService(hub: hub, admission: admission, onSignOfLife: onSignOfLife),
        ConnectionUpkeep(connections: connections, logger: logger),
        AccountWatch(
          store: store, principals: principals, streams: hub.streams, desk: logins, backplane: hub.backplane,
          logger: logger),
        AuditWriting(audit: audit),
        CallKeeping(history: history, backplane: hub.backplane),
        webhooks, seen,
      ] + optionalServices,
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? address.port) },
      logger: logger)
    return HubApplication(application)
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

  private func makeRouter() -> Router<HubRequestContext> {
    let router = makeRoutes()
    router.answerOtherMethods()
    return router
  }

  /// All that there is, before other methods are answered.
  func makeRoutes() -> Router<HubRequestContext> {
    let router = Router(context: HubRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: SecurityHeadersMiddleware())
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: ClientAddressMiddleware(trustedProxies: configuration.trustedProxies))
    router.add(
      middleware: HostOriginMiddleware(hosts: configuration.effectiveHosts, origins: configuration.allowedOrigins))
    ServiceRoutes(
      hub: hub, health: StoreHealth(store: store), tokens: tokens,
      metrics: HubMetrics(
        hub: hub, connections: connections, admission: admission, webhooks: webhooks, push: push,
        audit: audit, certificate: certificate),
      metricsToken: configuration.metricsToken
    ).add(to: router)
    DescriptionRoute().add(to: router)
    LoginRoutes(
      hub: hub, store: store, passwords: passwords, authenticator: authenticator, tokens: tokens,
      admission: admission, allowsAnonymous: configuration.anonymousLogin, logins: logins
    ).add(to: router)
    TokenRoutes(
      hub: hub, tokens: tokens, principals: principals, desk: logins, loginLifetime: configuration.loginLifetime
    ).add(to: router)
    let invitations = InvitationRoutes(hub: hub, store: store, guests: guests)
    invitations.addOpen(to: router)
    if let path = configuration.webRoot {
      PageRoutes(store: PageStore(folder: PageFolder(path: path), logger: logger)).add(to: router)
    }
    let members = router.group().add(middleware: AuthenticationMiddleware(tokens: tokens, principals: principals))
      .add(middleware: AuthenticatedConnectionMiddleware(connections: connections))
    addCalling(to: router, invitations)
    LoginListRoutes(desk: logins).add(to: members)
    addAdministration(to: router, members)
    PresenceRoutes(hub: hub, seen: seen).addList(to: members)
    invitations.addForOperators(to: members)
    AuditRoutes(audit: audit, store: store).add(to: members)
    PushRoutes(store: store, push: push).add(to: members)
    CallRoutes(hub: hub, history: history, reading: CallReading(store: store, principals: principals)).add(to: members)
    let archives = ArchiveRoutes(
      hub: hub, tokens: tokens, connections: connections, store: store, audit: audit)
    archives.add(to: members)
    archives.addRelayed(to: router)
    EventImageRoutes(archives: archives, events: push?.events, connections: connections).add(to: router)
    DeviceCertificateRoutes(hub: hub, tokens: tokens).add(to: members)
    AccountIDRoutes(hub: hub, store: store).add(to: members)
    DeviceEventRoutes(webhooks: webhooks, events: push?.events).add(to: members)
    return router
  }

  private func addAdministration(
    to router: some RouterMethods<HubRequestContext>, _ members: some RouterMethods<HubRequestContext>
  ) {
    let passwordRoutes = PasswordRoutes(passwords: passwords)
    passwordRoutes.addChoice(to: router)
    passwordRoutes.add(to: members)
    let desk = AccountDesk(
      store: store, hub: hub, passwords: passwords, logins: logins, seen: seen,
      log: AccountLog(store: store, audit: audit, logger: logger), logger: logger)
    AccountRoutes(desk: desk, hub: hub).add(to: members)
  }

  /// What guests may do as well.
  private func addCalling(to router: Router<HubRequestContext>, _ invitations: InvitationRoutes) {
    let callers = router.group()
      .add(middleware: AuthenticationMiddleware(tokens: tokens, principals: principals, admitsGuests: true))
      .add(middleware: AuthenticatedConnectionMiddleware(connections: connections))
    PresenceRoutes(hub: hub, seen: seen).add(to: callers)
    EventRoutes(hub: hub, principals: principals, admission: admission).add(to: callers)
    SessionRoutes(hub: hub, tokens: tokens, turn: configuration.turn.map(TURNRESTCredentials.init), push: push).add(
      to: callers)
    invitations.addForGuests(to: callers)
  }
}

private struct BackplaneService: Service {
  let backplane: any HubBackplane

  func run() async throws {
    await cancelWhenGracefulShutdown { await backplane.run() }
  }
}
