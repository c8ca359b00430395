internal import HTTPTypes
internal import HubCore
internal import Hummingbird

/// Finds out where a request comes from: the connection's other end, or what the trusted proxies there say.
struct ClientAddressMiddleware: RouterMiddleware {
  let trustedProxies: [AddressRange]

  func handle(
    _ request: Request, context: HubRequestContext, next: NextResponder
  ) async throws -> Response {
    guard let peer = IPAddress(context.clientAddress) else { return try await next(request, context) }
    let forwarding = ForwardingHeaders(
      forwardedFor: request.headers[values: .xForwardedFor], forwarded: request.headers[values: .forwarded])
    let client = forwarding.client(behind: peer, trustedProxies: trustedProxies)
    return try await next(request, context.coming(from: client))
  }
}

extension HTTPField.Name {
  fileprivate static let xForwardedFor = Self("X-Forwarded-For")!
  fileprivate static let forwarded = Self("Forwarded")!
}
