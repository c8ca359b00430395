internal import HubCore
internal import Hummingbird

/// `/healthz`, `/metrics` and the public keys.
struct ServiceRoutes {
  let hub: Hub
  let health: StoreHealth
  let tokens: TokenAuthority
  let metrics: HubMetrics

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/healthz") { _, _ in
      guard hub.backplane.isReady else {
        throw HTTPError(.serviceUnavailable, message: "what the hub's nodes know in common is not reached yet")
      }
      guard await health.isReadable else {
        throw HTTPError(.serviceUnavailable, message: "the store cannot be read")
      }
      return Response.text(#"{"status":"ok"}"#, type: "application/json")
    }
    router.get("/metrics") { _, _ in Response.text(await metrics.text(), type: "text/plain; version=0.0.4") }
    router.get("/.well-known/jwks.json") { _, _ in
      var response = Response.text(tokens.publicKeys, type: "application/jwk-set+json")
      response.headers[.cacheControl] = "max-age=300"
      return response
    }
  }
}
