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
  private let tokens: TokenAuthority
  private let authenticator: Authenticator
  private let logger: Logger

  /// `passwordCost` is that of the decoy for unknown titles; tests lower it.
  public init(
    configuration: HubConfiguration, store: any HubStore, limits: HubLimits = HubLimits(),
    passwordCost: PasswordHash.Cost = .standard, logger: Logger
  ) async throws {
    self.configuration = configuration
    self.store = store
    self.logger = logger
    hub = Hub(epoch: String(UInt64.random(in: .min ... .max), radix: 36), limits: limits)
    tokens = try await TokenAuthority(store: store, accessTokenLifetime: configuration.accessTokenLifetime)
    authenticator = Authenticator(store: store, cost: passwordCost)
  }

  /// `onRunning` is told the port that the server listens on.
  public func makeApplication(
    onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    let address = configuration.listen
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)
    return Application(
      router: makeRouter(),
      server: .http1(configuration: .init(idleTimeout: .seconds(75), httpDecoderConfiguration: decoder)),
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port),
        availableConnectionsDelegate: MaximumAvailableConnections(8_192, logger: logger)),
      services: [HubClockService(hub: hub)],
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? address.port) },
      logger: logger)
  }

  private func makeRouter() -> Router<HubRequestContext> {
    let principals = PrincipalCache(store: store)
    let router = Router(context: HubRequestContext.self)
    router.add(middleware: SecurityHeadersMiddleware())
    router.add(middleware: ProblemMiddleware())
    router.add(
      middleware: HostOriginMiddleware(hosts: configuration.effectiveHosts, origins: configuration.allowedOrigins))
    ServiceRoutes(hub: hub, store: store, tokens: tokens).add(to: router)
    LoginRoutes(
      hub: hub, store: store, authenticator: authenticator, tokens: tokens,
      allowsAnonymous: configuration.anonymousLogin
    ).add(to: router)
    if let folder = configuration.webRoot { PageRoutes(folder: folder).add(to: router) }
    let members = router.group().add(middleware: AuthenticationMiddleware(tokens: tokens, principals: principals))
    PresenceRoutes(hub: hub).add(to: members)
    EventRoutes(hub: hub, principals: principals).add(to: members)
    SessionRoutes(hub: hub, tokens: tokens, turn: configuration.turn.map(TurnCredentials.init)).add(to: members)
    ArchiveRoutes(hub: hub).add(to: members)
    return router
  }
}

/// Lets time pass for the hub: deadlines each second, a sign of life on every event stream each 15 s.
private struct HubClockService: Service {
  let hub: Hub

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var ticks = 0
      while (try? await Task.sleep(for: .seconds(1))) != nil {
        hub.tick()
        ticks += 1
        if ticks.isMultiple(of: 15) { hub.streams.wakeAll() }
      }
    }
  }
}
