internal import HTTPTypes
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `/v1/push` and what is below it: where a user is rung while no page is open.
struct PushRoutes {
  /// An endpoint of the greatest length, and keys.
  static let maximumBytes = 8 << 10

  let store: any HubStore
  /// Nil for a hub without `[push]`.
  let push: PushService?

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/push") { _, context in
      let (push, claims) = (try enabled, try context.claims)
      let records = try await store.subscriptions(ofUser: claims.sub)
      return try Response.json(
        PushOverview(
          applicationServerKey: push.applicationServerKey,
          subscriptions: records.filter { $0.credentialGeneration == claims.generation }.map { record in
            PushSubscriptionEntry(
              id: record.id, createdAt: record.createdAt, client: record.client,
              isCurrentLogin: record.loginID == claims.loginID)
          }))
    }
    router.post("/v1/push/subscriptions") { request, context in
      let principal = try context.principal
      guard principal.kind == .person, principal.role != .anonymous else {
        throw HubRefusal.notAllowed("only people with an account are rung")
      }
      let push = try enabled
      let subscription = try await request.decode(PushSubscriptionRequest.self, upTo: Self.maximumBytes)
      let id = try await push.subscribe(
        subscription, by: try context.claims, client: request.headers[.userAgent] ?? "")
      return try Response.json(PushSubscriptionGrant(id: id), status: .created)
    }
    router.delete("/v1/push/subscriptions/:subscriptionID") { _, context in
      _ = try enabled
      let id = try context.parameters.require("subscriptionID")
      guard try await store.removeSubscription(id: id, ofUser: try context.claims.sub) else {
        throw HubRefusal.notFound("no such subscription")
      }
      return Response.noContent
    }
  }

  private var enabled: PushService {
    get throws(HubRefusal) {
      guard let push else { throw .pushOff }
      return push
    }
  }
}
