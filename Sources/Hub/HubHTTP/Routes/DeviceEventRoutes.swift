internal import HubCore
internal import Hummingbird
internal import Signalling

/// `POST /v1/device-events`: a device reports something that it has noticed.
struct DeviceEventRoutes {
  /// Such a report has some 500 bytes.
  static let maximumBytes = 4 << 10

  let webhooks: WebhookService

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/device-events") { request, context in
      let principal = try context.principal
      guard principal.kind == .device, principal.role != .anonymous else {
        throw HubRefusal.notAllowed("only devices with an account report events")
      }
      try webhooks.take(try await request.decode(DetectedEvent.self, upTo: Self.maximumBytes), from: principal)
      return Response(status: .accepted, headers: [.cacheControl: "no-store"])
    }
  }
}
