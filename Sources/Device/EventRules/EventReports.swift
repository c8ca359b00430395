import Delivery
import Logging
import MediaCore
import Signalling

/// Tells the hub of events, for its webhooks; while it is away the newest wait in memory.
final class EventReports: Sendable {
  private static let capacity = 256

  private let delivery: Delivery<DetectedEvent>

  init(send: @escaping @Sendable (DetectedEvent) async -> Delivery<DetectedEvent>.Outcome, logger: Logger) {
    let queue = DeliveryQueue<DetectedEvent>(
      capacity: Self.capacity, backoff: Backoff(initial: .seconds(1), maximum: .seconds(60)))
    delivery = Delivery(queue, note: { Self.log($0, logger) }, attempt: send)
  }

  /// Why events do not reach the hub, or have not; nil while they do.
  var trouble: String? { delivery.trouble.map { "webhook: the hub is not told of events: \($0)" } }

  /// Returns at once.
  func add(_ report: DetectedEvent) { delivery.add(report) }

  func run() async { await delivery.run() }

  private static func log(_ notice: Delivery<DetectedEvent>.Notice, _ logger: Logger) {
    switch notice {
    case .works: logger.notice("webhook: the hub is told of events again")
    case .failing(let cause):
      logger.warning("webhook: the hub is not told of events, which is tried again: \(cause)")
    case .lost(let cause): logger.error("webhook: the hub is not told of some events: \(cause)")
    }
  }
}
