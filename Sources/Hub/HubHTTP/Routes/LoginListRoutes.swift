internal import HubCore
internal import Hummingbird
internal import Signalling

/// `GET` and `DELETE /v1/logins…`: what the user is logged in by.
struct LoginListRoutes {
  let desk: LoginService

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/logins") { _, context in
      let claims = try context.claims
      return try Response.json(try await desk.list(of: claims.sub, current: claims.loginID))
    }
    router.delete("/v1/logins") { _, context in
      let claims = try context.claims
      try await desk.endOthers(than: claims.loginID, of: claims.sub)
      return Response.noContent
    }
    router.delete("/v1/logins/:loginID") { _, context in
      let id = try context.parameters.require("loginID")
      guard try await desk.end(listed: id, of: try context.claims.sub) else {
        throw HubRefusal.notFound("no such login")
      }
      return Response.noContent
    }
  }
}
