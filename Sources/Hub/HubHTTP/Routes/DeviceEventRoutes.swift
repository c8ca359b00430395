internal import HubCore
internal import Hummingbird
internal import Signalling

/// `POST /v1/device-events` and `/v1/device-events/push`: a device reports something that it has noticed, for the hub's webhooks
/// or for people's browsers.
struct DeviceEventRoutes {
  /// Such a report has some 500 bytes.
  static let maximumBytes = 4 << 10
  /// With recipients.
  static let maximumPushBytes = 8 << 10

  let webhooks: WebhookService
  /// Nil for a hub without `[push]`.
  let events: EventPushes?

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/device-events") { request, context in
      let device = try device(context)
      try webhooks.take(try await request.decode(DetectedEvent.self, upTo: Self.maximumBytes), from: device)
      return Response(status: .accepted, headers: [.cacheControl: "no-store"])
    }
    router.post("/v1/device-events/push") { request, context in
      let device = try device(context)
      guard let events else { throw HubRefusal.pushOff }
      let order = try await request.decode(EventPushRequest.self, upTo: Self.maximumPushBytes)
      return try Response.json(try await events.take(order, from: device), status: .accepted)
    }
  }

  private func device(_ context: HubRequestContext) throws -> Principal {
    let principal = try context.principal
    guard principal.kind == .device, principal.role != .anonymous else {
      throw HubRefusal.notAllowed("only devices with an account report events")
    }
    return principal
  }
}
