internal import HubCore
internal import Hummingbird
internal import NIOCore

/// What a request carries from middleware to route.
struct HubRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Set by ``AuthenticationMiddleware``.
  private var identity: Identity?
  /// The address of the connection's other end, without its port; from ``ClientAddressMiddleware`` on, where the client
  /// is, as far as limits distinguish places.
  private(set) var clientAddress: String
  /// The same for people to read.
  private(set) var clientNetwork: String
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    clientAddress = source.channel.remoteAddress?.ipAddress ?? "local"
    clientNetwork = clientAddress
    channel = source.channel
  }

  func authenticated(as identity: Identity) -> HubRequestContext {
    var copy = self
    copy.identity = identity
    return copy
  }

  func coming(from address: IPAddress) -> HubRequestContext {
    var copy = self
    (copy.clientAddress, copy.clientNetwork) = (address.origin, address.readableOrigin)
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
