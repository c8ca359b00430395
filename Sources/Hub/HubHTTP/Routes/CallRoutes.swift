internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `/v1/calls` and what is below it: the call history.
struct CallRoutes {
  static let maximumBytes = 1 << 10

  let hub: Hub
  let history: CallHistory
  let reading: CallReading

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/calls") { request, context in
      let asker = try person(context)
      let (calls, next) = try await reading.page(try query(request), for: asker)
      return try Response.json(
        CallPage(
          calls: calls, next: next?.text, missed: try await reading.store.missedCallCount(ofUser: asker.userID),
          retention: history.retention.components.seconds))
    }
    router.put("/v1/calls/seen") { request, context in
      let asker = try person(context)
      let seen = try await request.decode(CallsSeen.self, upTo: Self.maximumBytes)
      guard CallQuery.times.contains(seen.until) else {
        throw HubRefusal.invalid(field: "until", reason: "must be milliseconds since 1970")
      }
      try await history.noteSeen(until: seen.until, by: asker.userID, reportingTo: hub.backplane)
      return Response.noContent
    }
  }

  private func person(_ context: HubRequestContext) throws(HubRefusal) -> Principal {
    let principal = try context.principal
    guard principal.kind == .person, principal.role.hasAccount else {
      throw .notAllowed("only people with an account have a call history")
    }
    return principal
  }

  private func query(_ request: Request) throws(HubRefusal) -> CallQuery {
    var query = CallQuery()
    let parameters = request.uri.queryParameters
    if let text = parameters["before"] {
      guard let place = CallPlace(String(text)) else {
        throw .invalid(field: "before", reason: "must be next of an earlier answer")
      }
      query.before = place
    }
    if let text = parameters["limit"] {
      guard let limit = Int(text), (1...CallQuery.maximumLimit).contains(limit) else {
        throw .invalid(field: "limit", reason: "must be 1 to \(CallQuery.maximumLimit)")
      }
      query.limit = limit
    }
    query.userID = parameters["userID"].map(String.init)
    return query
  }
}
