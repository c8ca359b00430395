import Delivery
import Logging
import MediaCore
import Signalling

/// Reports events to the hub, for its webhooks; while it is away the newest wait in memory.
final class EventReports: Sendable {
  private static let capacity = 256

  private let delivery: Delivery<DetectedEvent>

  init(send: @escaping @Sendable (DetectedEvent) async -> Delivery<DetectedEvent>.Outcome, logger: Logger) {
    let queue = DeliveryQueue<DetectedEvent>(
      capacity: Self.capacity, backoff: Backoff(initial: .seconds(1), maximum: .seconds(60)))
    delivery = Delivery(queue, note: { Self.log($0, logger) }, attempt: send)
  }

  /// Why events do not reach the hub, or have not; nil while they do.
  var trouble: String? { delivery.trouble.map { "webhook: events do not reach the hub: \($0)" } }

  /// Returns at once.
  func add(_ report: DetectedEvent) { delivery.add(report) }

  func run() async { await delivery.run() }

  private static func log(_ notice: Delivery<DetectedEvent>.Notice, _ logger: Logger) {
    switch notice {
    case .works: logger.notice("webhook: events reach the hub again")
    case .failing(let cause):
      logger.warning("webhook: events do not reach the hub, retrying: \(cause)")
    case .lost(let cause): logger.error("webhook: some events did not reach the hub: \(cause)")
    }
  }
}
