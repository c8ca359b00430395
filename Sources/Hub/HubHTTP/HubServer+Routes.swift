internal import Hummingbird

extension HubServer {
  func makeRouter() -> Router<HubRequestContext> {
    let router = makeRoutes()
    router.answerOtherMethods()
    return router
  }

  /// All that there is, before other methods are answered.
  func makeRoutes() -> Router<HubRequestContext> {
    let router = Router(context: HubRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: CrossOriginHeaders())
    router.add(middleware: ProblemMiddleware())
    let members = group(of: router, admitsGuests: false)
    let callers = group(of: router, admitsGuests: true)
    addService(to: router)
    addLogins(to: router, members)
    addAccounts(to: members)
    addGuests(to: router, members, callers)
    addCalls(to: router, members, callers)
    addContent(to: router, members)
    return router
  }

  /// For requests with a token.
  private func group(of router: Router<HubRequestContext>, admitsGuests: Bool) -> RouterGroup<HubRequestContext> {
    router.group().add(
      middleware: AuthenticationMiddleware(
        tokens: identities.tokens, principals: identities.principals, connections: connections,
        admitsGuests: admitsGuests))
  }

  /// What needs no token: how the hub is, what it offers, and its page.
  private func addService(to router: Router<HubRequestContext>) {
    ServiceRoutes(
      hub: hub, health: StoreHealth(store: store), tokens: identities.tokens,
      metrics: HubMetrics(
        hub: hub, connections: connections, admission: identities.admission, webhooks: webhooks, push: push,
        audit: identities.audit, certificate: certificate, views: views, reports: identities.reports),
      metricsToken: configuration.metricsToken
    ).add(to: router)
    DescriptionRoute().add(to: router)
    if let path = configuration.webRoot {
      PageRoutes(store: PageStore(folder: PageFolder(path: path), logger: logger)).add(to: router)
    }
  }

  private func addLogins(
    to router: some RouterMethods<HubRequestContext>, _ members: some RouterMethods<HubRequestContext>
  ) {
    LoginRoutes(
      hub: hub, store: store, passwords: identities.passwords, authenticator: identities.authenticator,
      tokens: identities.tokens, admission: identities.admission, allowsAnonymous: configuration.anonymousLogin,
      logins: identities.logins
    ).add(to: router)
    TokenRoutes(
      hub: hub, tokens: identities.tokens, principals: identities.principals, desk: identities.logins,
      loginLifetime: configuration.loginLifetime
    ).add(to: router)
    LoginListRoutes(desk: identities.logins).add(to: members)
    let passwords = PasswordRoutes(passwords: identities.passwords)
    passwords.addChoice(to: router)
    passwords.add(to: members)
  }

  private func addAccounts(to members: some RouterMethods<HubRequestContext>) {
    let desk = AccountDesk(
      store: store, hub: hub, passwords: identities.passwords, logins: identities.logins, seen: identities.seen,
      reports: identities.reports,
      log: AccountLog(store: store, audit: identities.audit, logger: logger), logger: logger)
    AccountRoutes(desk: desk, hub: hub).add(to: members)
    AuditRoutes(audit: identities.audit, store: store).add(to: members)
    DeviceCertificateRoutes(hub: hub, tokens: identities.tokens).add(to: members)
    AccountIDRoutes(hub: hub, store: store).add(to: members)
  }

  private func addGuests(
    to router: some RouterMethods<HubRequestContext>, _ members: some RouterMethods<HubRequestContext>,
    _ callers: some RouterMethods<HubRequestContext>
  ) {
    let invitations = InvitationRoutes(hub: hub, store: store, guests: identities.guests, views: views)
    invitations.addOpen(to: router)
    invitations.addForGuests(to: callers)
    invitations.addForOperators(to: members)
  }

  /// Presence, events and calls, which are guests', too; and what is kept of calls.
  private func addCalls(
    to router: some RouterMethods<HubRequestContext>, _ members: some RouterMethods<HubRequestContext>,
    _ callers: some RouterMethods<HubRequestContext>
  ) {
    let presence = PresenceRoutes(hub: hub, seen: identities.seen, reports: identities.reports)
    presence.add(to: callers)
    presence.addList(to: members)
    EventRoutes(hub: hub, principals: identities.principals, admission: identities.admission).add(to: callers)
    SessionRoutes(
      hub: hub, tokens: identities.tokens, turn: configuration.turn.map(TURNRESTCredentials.init), push: push
    ).add(to: callers)
    WHEPRoutes(views: views, limits: hub.limits).add(to: router)
    PushRoutes(store: store, push: push).add(to: members)
    CallRoutes(
      hub: hub, history: history, reading: CallReading(store: store, principals: identities.principals)
    ).add(to: members)
  }

  /// What devices send: archives, images and events.
  private func addContent(
    to router: some RouterMethods<HubRequestContext>, _ members: some RouterMethods<HubRequestContext>
  ) {
    let archives = ArchiveRoutes(
      hub: hub, tokens: identities.tokens, connections: connections, store: store, audit: identities.audit)
    archives.add(to: members)
    archives.addRelayed(to: router)
    EventImageRoutes(archives: archives, events: push?.events, connections: connections).add(to: router)
    DeviceEventRoutes(webhooks: webhooks, events: push?.events).add(to: members)
  }
}
