import Delivery
import Logging
import MediaCore
import Signalling

/// Tells the hub of events, for its webhooks; while it is away the newest wait in memory.
final class EventReports: Sendable {
  private static let capacity = 256

  private let delivery: Delivery<DeviceEventReport>

  init(send: @escaping @Sendable (DeviceEventReport) async -> Delivery<DeviceEventReport>.Outcome, logger: Logger) {
    let queue = DeliveryQueue<DeviceEventReport>(
      capacity: Self.capacity, backoff: Backoff(initial: .seconds(1), maximum: .seconds(60)))
    delivery = Delivery(queue, note: { Self.log($0, logger) }, attempt: send)
  }

  /// Why events do not reach the hub, or have not; nil while they do.
  var trouble: String? { delivery.trouble.map { "webhook: the hub is not told of events: \($0)" } }

  /// Returns at once.
  func add(_ report: DeviceEventReport) { delivery.add(report) }

  func run() async { await delivery.run() }

  private static func log(_ notice: Delivery<DeviceEventReport>.Notice, _ logger: Logger) {
    switch notice {
    case .works: logger.notice("webhook: the hub is told of events again")
    case .failing(let cause):
      logger.warning("webhook: the hub is not told of events, which is tried again: \(cause)")
    case .lost(let cause): logger.error("webhook: the hub is not told of some events: \(cause)")
    }
  }
}
