import Delivery
import Logging
import MediaCore

/// What the hub is to pass on of events, one after the other; while it is away the newest wait in memory.
final class EventReports<Item: Sendable>: Sendable {
  private let name: String
  private let delivery: Delivery<Item>

  /// - Parameters:
  ///   - name: `webhook` or `push`, for log and status.
  ///   - capacity: further ones take the place of the oldest.
  ///   - maxAttempts: after which one is given up.
  init(
    _ name: String, capacity: Int, maxAttempts: Int = .max, logger: Logger,
    send: @escaping @Sendable (Item) async -> Delivery<Item>.Outcome
  ) {
    self.name = name
    let queue = DeliveryQueue<Item>(
      capacity: capacity, maxAttempts: maxAttempts, backoff: Backoff(initial: .seconds(1), maximum: .seconds(60)))
    delivery = Delivery(queue, note: { Self.log($0, name, logger) }, attempt: send)
  }

  /// Why events do not reach the hub, or have not; nil while they do.
  var trouble: String? { delivery.trouble.map { "\(name): events do not reach the hub: \($0)" } }

  /// Returns at once.
  func add(_ item: Item) { delivery.add(item) }

  func run() async { await delivery.run() }

  private static func log(_ notice: Delivery<Item>.Notice, _ name: String, _ logger: Logger) {
    switch notice {
    case .works: logger.notice("\(name): events reach the hub again")
    case .failing(let cause):
      logger.warning("\(name): events do not reach the hub, retrying: \(cause)")
    case .lost(let cause): logger.error("\(name): some events did not reach the hub: \(cause)")
    }
  }
}
