internal import Delivery
internal import Foundation
internal import HTTPConnections
internal import Logging
internal import MediaCore
internal import NIOHTTP1
internal import OpenSSLCrypto
internal import Signalling

/// One receiver of events: they are posted to it in order, signed as Standard Webhooks 1.0 has it, and again while it does not
/// take them.
final class Webhook: Sendable {
  /// What is posted, and the id by which the receiver knows it again.
  struct Message: Sendable {
    var id: String
    var body: [UInt8]
  }

  private static let capacity = 1_024
  private static let maxAttempts = 16
  private static let timeout = Duration.seconds(15)
  private static let longestAnswer = 64 << 10

  private let target: WebhookTarget
  private let secret: WebhookSecret?
  private let connections: HTTPConnectionPool
  private let delivery: Delivery<Message>

  /// Nil for a URL that is none.
  init?(_ configuration: WebhookConfiguration, logger: Logger) {
    guard let target = WebhookTarget(configuration.url) else { return nil }
    var limits = HTTPConnectionPool.Limits()
    limits.connections = 1
    let (secret, connections) = (configuration.secret, HTTPConnectionPool(target.origin, limits: limits))
    (self.target, self.secret, self.connections) = (target, secret, connections)
    let queue = DeliveryQueue<Message>(
      capacity: Self.capacity, maxAttempts: Self.maxAttempts,
      backoff: Backoff(initial: .seconds(1), maximum: .seconds(300)))
    delivery = Delivery(queue, note: { Self.log($0, target.origin, logger) }) { message in
      await Self.post(message, to: target, secret, connections)
    }
  }

  /// Since the start.
  var counts: Delivery<Message>.Counts { delivery.counts }
  var waiting: Int { delivery.waiting }
  /// Where events do not arrive, and why; nil while they do.
  var trouble: String? { delivery.trouble.map { "\(target.origin): \($0)" } }

  /// Returns at once.
  func add(_ message: Message) { delivery.add(message) }

  /// Delivers until the task is cancelled; what waits then is lost.
  func run() async {
    await delivery.run()
    await connections.shutdown()
  }

  private static func post(
    _ message: Message, to target: WebhookTarget, _ secret: WebhookSecret?, _ connections: HTTPConnectionPool
  ) async -> Delivery<Message>.Outcome {
    let time = Int64(saturating: Date().timeIntervalSince1970)
    var request = HTTPRequest(.POST, target.path, body: .bytes(message.body))
    request.headers = [
      "Content-Type": "application/json", "User-Agent": "livesessions-hub", WebhookField.id: message.id,
      WebhookField.timestamp: "\(time)",
    ]
    if let secret { request.headers.add(name: WebhookField.signature, value: secret.signature(of: message, at: time)) }
    do {
      let answer = try await connections.exchange(request, within: timeout, upTo: longestAnswer)
      return outcome(Int(clamping: answer.status.code), retryAfter: answer.headers.first(name: "Retry-After"))
    } catch {
      return .failed("\(error)")
    }
  }

  /// A receiver that does not want this one will not want it later; one that has too much to do will.
  private static func outcome(_ status: Int, retryAfter: String?) -> Delivery<Message>.Outcome {
    switch status {
    case 200..<300: .delivered
    case 408, 425, 429, 500...:
      .failed("it answers with status \(status)", retryAfter: retryAfter.flatMap { Int64($0) }.map { .seconds($0) })
    default: .refused("it answers with status \(status)")
    }
  }

  private static func log(_ notice: Delivery<Message>.Notice, _ origin: HTTPOrigin, _ logger: Logger) {
    // The rest of the URL may be a secret.
    switch notice {
    case .failing(let cause): logger.warning("webhook at \(origin) is not reached, which is tried again: \(cause)")
    case .lost(let cause): logger.error("webhook at \(origin) does not get some events: \(cause)")
    case .works: logger.notice("webhook at \(origin) gets events again")
    }
  }
}

/// The fields of Standard Webhooks.
enum WebhookField {
  static let id = "webhook-id"
  static let timestamp = "webhook-timestamp"
  static let signature = "webhook-signature"
}

extension WebhookSecret {
  /// The value of `webhook-signature`: HMAC-SHA256 over id, time and body.
  func signature(of message: Webhook.Message, at time: Int64) -> String {
    let signed = Array("\(message.id).\(time).".utf8) + message.body
    return "v1,\(Data(OpenSSLCrypto().hmacSHA256(key: octets, message: signed)).base64EncodedString())"
  }
}
