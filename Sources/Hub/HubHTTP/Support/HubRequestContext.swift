internal import Glibc
internal import HubCore
internal import Hummingbird
internal import NIOCore

/// What a request carries from middleware to route.
struct HubRequestContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Set by ``AuthenticationMiddleware``.
  private(set) var identity: Principal?
  /// The peer's address without its port.
  let remoteAddress: String
  private let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress?.ipAddress ?? "local"
    channel = source.channel
  }

  func authenticated(as principal: Principal) -> HubRequestContext {
    var copy = self
    copy.identity = principal
    return copy
  }

  /// Makes the kernel close the connection when a peer acknowledges nothing for 30 s.
  ///
  /// Otherwise a write to one that lost its power would hang until TCP gives up after a quarter of an hour. Where the
  /// option does not exist (a test without a socket) nothing is lost.
  func dropDeadPeer() async {
    let option = ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_USER_TIMEOUT))
    try? await channel.setOption(option, value: 30_000).get()
  }

  /// The authenticated user; routes without authentication must not ask.
  var principal: Principal {
    get throws(HubRefusal) {
      guard let identity else { throw .notAuthenticated }
      return identity
    }
  }
}

/// What a middleware hands a request on to.
typealias NextResponder = @concurrent (Request, HubRequestContext) async throws -> Response
