internal import Signalling

/// What a webhook is sent: an event, and which device has noticed it.
struct WebhookNotice: Codable, Sendable {
  /// Receivers distinguish by it what else may come one day.
  static let deviceEvent = "device.event"

  var type = WebhookNotice.deviceEvent
  var deviceID: String
  var deviceTitle: String
  /// By the hub's clock, in milliseconds since 1970.
  var receivedAt: Int64
  /// Where the hub's page shows the event, behind the hub's own address, which the hub does not know.
  var page: String
  var event: DetectedEvent
}
