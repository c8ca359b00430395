internal import Delivery
internal import HubStore
internal import Logging
internal import MediaCore

/// Calls that are to be kept, in order: no request waits for the store, and where it fails for a while none is lost at once.
struct CallQueue: Sendable {
  /// Some 600 kB.
  private static let capacity = 1_024
  private static let maximumAttempts = 12

  private let delivery: Delivery<[CallRecord]>

  /// - Parameter keep: inserts the records of a call; repeating it is harmless.
  init(logger: Logger, keep: @escaping @Sendable ([CallRecord]) async throws -> Void) {
    let queue = DeliveryQueue<[CallRecord]>(
      capacity: Self.capacity, maxAttempts: Self.maximumAttempts,
      backoff: Backoff(initial: .seconds(1), maximum: .seconds(60)))
    delivery = Delivery(queue, note: { Self.log($0, logger) }) { records in
      do {
        try await keep(records)
        return .delivered
      } catch {
        return .failed("\(error)")
      }
    }
  }

  /// Returns at once; where too many wait the oldest goes.
  func add(_ records: [CallRecord]) { delivery.add(records) }

  /// Keeps calls until the task is cancelled.
  func run() async { await delivery.run() }

  private static func log(_ notice: Delivery<[CallRecord]>.Notice, _ logger: Logger) {
    switch notice {
    case .failing(let cause): logger.warning("the call history cannot be written, which is tried again: \(cause)")
    case .lost(let cause):
      logger.error("the call history lacks some calls: \(cause); see that the store can be written")
    case .works: logger.notice("the call history is written again")
    }
  }
}
