import Delivery
import Locking
import Logging
import MediaCore
import Signalling

/// Tells the hub of events, for its webhooks; while it is away the newest wait in memory.
final class EventReports: Sendable {
  private static let capacity = 256

  private final class Trouble: Sendable {
    let text = Mutex<String?>(nil)
  }

  private let delivery: Delivery<DeviceEventReport>
  private let lasting = Trouble()

  init(send: @escaping @Sendable (DeviceEventReport) async -> Delivery<DeviceEventReport>.Outcome, logger: Logger) {
    let queue = DeliveryQueue<DeviceEventReport>(
      capacity: Self.capacity, backoff: Backoff(initial: .seconds(1), maximum: .seconds(60)))
    let lasting = lasting
    delivery = Delivery(queue, note: { Self.note($0, lasting, logger) }, attempt: send)
  }

  /// Why events do not reach the hub, or have not; nil while they do.
  var trouble: String? { lasting.text.withLock { $0 } }

  /// Returns at once.
  func add(_ report: DeviceEventReport) { delivery.add(report) }

  func run() async { await delivery.run() }

  private static func note(_ notice: Delivery<DeviceEventReport>.Notice, _ lasting: Trouble, _ logger: Logger) {
    switch notice {
    case .works:
      lasting.text.withLock { $0 = nil }
      logger.notice("webhook: the hub is told of events again")
    case .failing(let cause):
      lasting.text.withLock { $0 = "webhook: the hub is not told, which is tried again: \(cause)" }
      logger.warning("webhook: the hub is not told of events, which is tried again: \(cause)")
    case .lost(let cause):
      lasting.text.withLock { $0 = "webhook: the hub is not told of events: \(cause)" }
      logger.error("webhook: the hub is not told of some events: \(cause)")
    }
  }
}
