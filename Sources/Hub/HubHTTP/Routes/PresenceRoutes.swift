internal import ConfigFile
internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import Signalling

/// `PUT` and `DELETE /v1/presence`, `GET /v1/users`.
struct PresenceRoutes {
  let hub: Hub
  let seen: SeenUsers
  let reports: DeviceReports

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.put("/v1/presence") { request, context in
      let principal = try context.principal
      let update = try await request.decode(PresenceUpdate.self)
      try await hub.backplane.updatePresence(of: principal, update)
      seen.note(principal, client: request.headers[.userAgent] ?? "")
      reports.note(principal, update)
      return Response.noContent
    }
    router.delete("/v1/presence") { request, context in
      let userID = try context.principal.userID
      let streamID = request.uri.queryParameters["eventStreamID"].map(String.init)
      try await hub.backplane.withdrawPresence(userID: userID, streamID: streamID)
      return Response.noContent
    }
  }

  func addList(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/users") { request, context in
      let principal = try context.principal
      let query = try nearbyQuery(request)
      let users = try await hub.backplane.nearby(query, asker: principal)
      return Response.json(NearbyUsers(items: users))
    }
  }

  private func nearbyQuery(_ request: Request) throws(HubRefusal) -> NearbyQuery {
    var query = NearbyQuery()
    let latitude = try number("latitude", in: request)
    let longitude = try number("longitude", in: request)
    switch (latitude, longitude) {
    case (let latitude?, let longitude?): query.origin = UserLocation(latitude: latitude, longitude: longitude)
    case (nil, nil): break
    default: throw .invalid(field: "latitude, longitude", reason: "give both or neither")
    }
    if let text = request.uri.queryParameters["within"] {
      guard let distance = try? ConfigQuantity.distance(String(text)) else {
        throw .invalid(field: "within", reason: "must be a distance such as 300m, 1.5km or 200mi")
      }
      query.within = distance
    }
    if let text = request.uri.queryParameters["limit"] {
      guard let limit = Int(text) else { throw .invalid(field: "limit", reason: "must be a whole number") }
      query.limit = limit
    }
    return query
  }

  private func number(_ name: Substring, in request: Request) throws(HubRefusal) -> Double? {
    guard let text = request.uri.queryParameters[name] else { return nil }
    guard let value = Double(text), value.isFinite else {
      throw .invalid(field: String(name), reason: "must be a number")
    }
    return value
  }
}
