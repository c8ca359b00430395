internal import HubCore
internal import Hummingbird
internal import Logging
internal import NIOCore

/// What a request carries from middleware to route.
struct HubRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Set by ``AuthenticationMiddleware``.
  private var identity: Identity?
  /// Where the client is, as far as limits distinguish places.
  let clientAddress: String
  /// The same for people to read.
  let clientNetwork: String
  let channel: any Channel

  init(client: ClientAddress, channel: any Channel, logger: Logger) {
    coreContext = CoreRequestContextStorage(source: ApplicationRequestContextSource(channel: channel, logger: logger))
    (clientAddress, clientNetwork) = (client.origin, client.readableOrigin)
    self.channel = channel
  }

  init(source: ApplicationRequestContextSource) {
    self.init(client: ClientAddress(of: source.channel), channel: source.channel, logger: source.logger)
  }

  func authenticated(as identity: Identity) -> HubRequestContext {
    var copy = self
    copy.identity = identity
    return copy
  }

  /// The authenticated user; routes without authentication must not ask.
  var principal: Principal {
    get throws(HubRefusal) { try authenticatedIdentity.principal }
  }

  /// The claims of the user's token; routes without authentication must not ask.
  var claims: AccessClaims {
    get throws(HubRefusal) { try authenticatedIdentity.claims }
  }

  private var authenticatedIdentity: Identity {
    get throws(HubRefusal) {
      guard let identity else { throw .notAuthenticated }
      return identity
    }
  }
}

/// Who makes a request, and by which token.
struct Identity: Sendable {
  var principal: Principal
  var claims: AccessClaims
}

/// What a middleware hands a request on to.
typealias NextResponder = @concurrent (Request, HubRequestContext) async throws -> Response
