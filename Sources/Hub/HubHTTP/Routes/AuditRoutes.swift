internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `GET /v1/audit`: what happened to the users of an operator's groups, to administrators all.
struct AuditRoutes {
  static let maximumLimit = 200

  let audit: AuditLog
  let store: any HubStore

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/audit") { request, context in
      let reader = try await store.currentOperator(try context.operatorIdentity)
      var query = try query(request)
      query.groups = reader.isAdministrator ? nil : reader.groups
      return try Response.json(try await audit.page(query))
    }
  }

  private func query(_ request: Request) throws(HubRefusal) -> AuditQuery {
    let parameters = request.uri.queryParameters
    var query = AuditQuery(limit: 50, groups: [])
    if let text = parameters["limit"] {
      guard let limit = Int(text), (1...Self.maximumLimit).contains(limit) else {
        throw .invalid(field: "limit", reason: "must be 1 to \(Self.maximumLimit)")
      }
      query.limit = limit
    }
    if let kind = parameters["kind"] {
      guard AuditKind(rawValue: String(kind)) != nil else {
        throw .invalid(field: "kind", reason: "is no kind of entry")
      }
      query.kind = String(kind)
    }
    query.before = parameters["before"].map(String.init)
    query.userID = parameters["user"].map(String.init)
    return query
  }
}
