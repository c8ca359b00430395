internal import HubCore
internal import Hummingbird
internal import Signalling

/// `/healthz`, the public keys, and `/metrics` for who shows its token.
struct ServiceRoutes {
  let hub: Hub
  let health: StoreHealth
  let tokens: TokenAuthority
  let metrics: HubMetrics
  /// Nil: there are no metrics.
  let metricsToken: String?

  static func unhealthy(_ detail: String) -> Problem {
    Problem(type: "http-error", title: "Service Unavailable", status: 503, detail: detail)
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/healthz") { _, _ in
      guard hub.backplane.isReady else {
        throw RequestFailure(problem: Self.unhealthy("what the hub's nodes know in common is not reached yet"))
      }
      guard await health.isReadable else {
        throw RequestFailure(problem: Self.unhealthy("the store cannot be read"))
      }
      return Response.text(#"{"status":"ok"}"#, type: "application/json")
    }
    if let metricsToken {
      router.get("/metrics") { request, _ in
        guard request.bearerToken?.isSame(as: metricsToken) == true else { throw HubRefusal.notAuthenticated }
        return Response.text(await metrics.text(), type: "text/plain; version=0.0.4")
      }
    }
    router.get("/.well-known/jwks.json") { _, _ in
      var response = Response.text(tokens.publicKeys, type: "application/jwk-set+json")
      response.headers[.cacheControl] = "max-age=300"
      return response
    }
  }
}

extension String {
  /// Compares in a time that says nothing of where the two differ.
  fileprivate func isSame(as secret: String) -> Bool {
    utf8.count == secret.utf8.count && zip(utf8, secret.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
