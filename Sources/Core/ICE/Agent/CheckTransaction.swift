import MediaCore

/// A pending request.
struct CheckTransaction {
  enum Purpose {
    case check
    case nomination
    case consent
    /// Measures the round trip of the selected path.
    case measurement
  }

  var id: STUNTransactionID
  var purpose: Purpose
  /// Nil for consent checks: the selected path may outlive its pair.
  var pair: PairID?
  var local: TransportAddress
  var remote: TransportAddress
  /// The role that the request claimed.
  var role: ICERole
  /// The generation of the credentials used.
  var generation: UInt8
  var sentAt: MonotonicInstant
}

/// The requests awaiting an answer, newest last.
///
/// A check that is superseded stays here: on a slow path its answer comes after the next check has left.
struct TransactionTable {
  private static let limit = 64
  private var transactions: [CheckTransaction] = []

  mutating func insert(_ transaction: CheckTransaction) {
    if transactions.count == Self.limit { transactions.removeFirst() }
    transactions.append(transaction)
  }

  func find(_ id: STUNTransactionID) -> CheckTransaction? { transactions.last { $0.id == id } }

  mutating func remove(_ id: STUNTransactionID) { transactions.removeAll { $0.id == id } }

  mutating func removeMeasurements(sentBefore instant: MonotonicInstant) {
    transactions.removeAll { $0.purpose == .measurement && $0.sentAt < instant }
  }

  /// When the oldest measurement that still waits for its answer was sent.
  var oldestMeasurement: MonotonicInstant? { transactions.first { $0.purpose == .measurement }?.sentAt }

  mutating func removeAll(local: TransportAddress) { transactions.removeAll { $0.local == local } }

  mutating func removeAll(sentBefore instant: MonotonicInstant) { transactions.removeAll { $0.sentAt < instant } }
}
