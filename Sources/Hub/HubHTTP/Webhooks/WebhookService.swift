internal import Delivery
internal import Foundation
internal import HubCore
internal import SystemSupport
internal import Logging
internal import MediaCore
internal import OpenSSLCrypto
internal import ServiceLifecycle
internal import Signalling

/// Reports events at devices to webhooks.
final class WebhookService: Service, Sendable {
  private let webhooks: [Webhook]
  private let limiter: Mutex<RateLimiter>

  init(_ configurations: [WebhookConfiguration], limits: HubLimits, logger: Logger) {
    webhooks = configurations.compactMap { Webhook($0, logger: logger) }
    limiter = Mutex(RateLimiter(perMinute: limits.deviceEventsPerMinute))
  }

  func run() async throws {
    await cancelWhenGracefulShutdown { [webhooks] in
      await withDiscardingTaskGroup { group in
        for webhook in webhooks { group.addTask { await webhook.run() } }
        group.addTask { await self.trim() }
      }
    }
  }

  /// Takes an event of a device; returns at once.
  func take(_ event: DetectedEvent, from device: Principal) throws {
    guard !webhooks.isEmpty else {
      throw HubRefusal.notAllowed("this hub forwards no events: there is no [[webhook]] in hub.toml")
    }
    if let refusal = event.refusal { throw HubRefusal.invalid(field: refusal.field, reason: refusal.reason) }
    if let wait = limiter.withLock({ $0.take(device.userID, now: .now) }) {
      throw HubRefusal.tooMany("events", retryAfter: wait)
    }
    let notice = WebhookNotice(
      deviceID: device.userID, deviceTitle: device.userTitle,
      receivedAt: Int64(saturating: Date().timeIntervalSince1970 * 1_000),
      page: "/#/devices/\(device.userID)/events/\(event.id)", event: event.report(by: event.rule))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = Array(try encoder.encode(notice))
    let message = Webhook.Message(id: Self.messageID(device.userID, event), body: body)
    for webhook in webhooks { webhook.add(message) }
  }

  /// The same for an event that a device reports again; one event by two rules is two messages.
  private static func messageID(_ deviceID: String, _ event: DetectedEvent) -> String {
    let parts = [deviceID, event.id, event.rule ?? ""]
    let digest = OpenSSLCrypto().sha256(Array(parts.joined(separator: "\u{0}").utf8))
    return "msg_"
      + digest.prefix(16).map { String(0x100 | UInt16(truncatingIfNeeded: $0), radix: 16).dropFirst() }.joined()
  }

  /// Of all webhooks; nil for a hub without.
  var figures: HubStatus.Webhooks? {
    guard !webhooks.isEmpty else { return nil }
    return webhooks.reduce(into: HubStatus.Webhooks()) { figures, webhook in
      let counts = webhook.counts
      figures.delivered += counts.delivered
      figures.lost += counts.lost
      figures.waiting += webhook.waiting
      if let trouble = webhook.trouble { figures.troubles.append(trouble) }
    }
  }

  private func trim() async {
    while (try? await Task.sleep(for: .seconds(60))) != nil { limiter.withLock { $0.trim(now: .now) } }
  }
}
