import Delivery
import Logging
import MediaCore

/// Mails about events on their way to sendmail, one after the other: what cannot be sent now is retried for some hours,
/// since most sendmail replacements on devices have no queue of their own. They wait in memory.
final class EventMails: Sendable {
  struct Item: Sendable {
    var decision: EventRuleEvaluator.Decision
    var recipients: [MailAddress]
  }

  /// Each has an image of some 50 kB.
  private static let capacity = 16
  /// With ``pauses``, half of the longest on average, some five hours.
  private static let maxAttempts = 40
  static let pauses = Backoff(initial: .seconds(30), maximum: .seconds(900))

  private let delivery: Delivery<Item>

  init(pauses: Backoff, logger: Logger, send: @escaping @Sendable (Item) async -> Delivery<Item>.Outcome) {
    let queue = DeliveryQueue<Item>(capacity: Self.capacity, maxAttempts: Self.maxAttempts, backoff: pauses)
    delivery = Delivery(queue, note: { Self.log($0, logger) }, attempt: send)
  }

  /// Why mails are not sent, or were not; nil while they are.
  var trouble: String? { delivery.trouble }

  /// Returns at once. It is tried at once, too: an alarm does not wait for the pause of an older mail.
  func add(_ item: Item) {
    delivery.add(item)
    delivery.tryNow()
  }

  /// Tries those that wait at once.
  func tryNow() { delivery.tryNow() }

  func run() async { await delivery.run() }

  private static func log(_ notice: Delivery<Item>.Notice, _ logger: Logger) {
    switch notice {
    case .works: logger.notice("mail: mails are sent again")
    case .failing(let cause): logger.warning("mail: not sent, which is tried again: \(cause)")
    case .lost(let cause): logger.error("mail: some are not sent: \(cause)")
    }
  }
}
