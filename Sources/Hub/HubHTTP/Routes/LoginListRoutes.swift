internal import HubCore
internal import HubStore
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
    router.delete("/v1/logins") { request, context in
      try await desk.endOthers(
        than: try context.claims.loginID, by: try context.principal, from: LoginRecord.Origin(request, context))
      return Response.noContent
    }
    router.delete("/v1/logins/:loginID") { request, context in
      let id = try context.parameters.require("loginID")
      let isEnded = try await desk.end(
        listed: id, by: try context.principal, from: LoginRecord.Origin(request, context),
        at: try context.claims.loginID)
      guard isEnded else {
        throw HubRefusal.notFound("no such login")
      }
      return Response.noContent
    }
  }
}
