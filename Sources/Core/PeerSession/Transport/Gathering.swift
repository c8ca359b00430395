import ICE
import MediaCore

/// Pending server answers about this side's addresses, and how long to wait for them (RFC 8838 §13).
struct Gathering {
  /// How long unanswered servers hold up the end of gathering.
  private static let limit = TimeSpan.seconds(5)
  /// More questions than these are not asked.
  private static let queryLimit = 32

  private(set) var queries: [ReflexiveAddressQuery] = []
  /// No further candidates will be reported.
  private(set) var isComplete: Bool
  private var areServersNamed = false
  private var isOverdue = false
  private var limit = MonotonicInstant.distantFuture
  /// The end was reported before; it is reported again only after another candidate.
  private var isResumed = false
  private var hasReportedCandidate = false

  init(isComplete: Bool) { self.isComplete = isComplete }

  /// A server is named; the first one starts the clock, also after an earlier end.
  mutating func begin(now: MonotonicInstant) {
    if isComplete {
      self = Gathering(isComplete: false)
      isResumed = true
    }
    if limit == .distantFuture, !isOverdue { limit = now + Self.limit }
  }

  mutating func ask(_ query: ReflexiveAddressQuery) {
    if queries.count < Self.queryLimit { queries.append(query) }
  }

  /// Cancels requests over addresses that are gone.
  mutating func removeQueries(where isGone: (TransportAddress) -> Bool) { queries.removeAll { isGone($0.base) } }

  /// A candidate was reported.
  mutating func noteReportedCandidate() { hasReportedCandidate = true }

  mutating func endServers() { areServersNamed = true }

  /// Notes the end when it has come.
  ///
  /// - Parameter isAllocating: a relay is still waited for.
  /// - Returns: whether it has come just now and is to be reported.
  mutating func finish(isAllocating: Bool) -> Bool {
    guard !isComplete, areServersNamed, isOverdue || queries.isEmpty && !isAllocating else { return false }
    isComplete = true
    limit = .distantFuture
    return !isResumed || hasReportedCandidate
  }

  var deadline: MonotonicInstant {
    var deadline = limit
    for query in queries { deadline = min(deadline, query.deadline) }
    return deadline
  }

  mutating func handleTimeout(now: MonotonicInstant) {
    for index in queries.indices { queries[index].handleTimeout(now: now) }
    if limit <= now {
      limit = .distantFuture
      isOverdue = true
      queries.removeAll()
    }
  }

  /// Writes a question that is to be sent.
  mutating func takeTransmit(into buffer: inout MutableRawSpan) -> DatagramOutput.Plain? {
    for index in queries.indices {
      guard let count = queries[index].takeTransmit(into: &buffer) else { continue }
      return DatagramOutput.Plain(count: count, local: queries[index].base, remote: queries[index].server)
    }
    return nil
  }

  /// Takes a datagram, if it answers a question.
  mutating func receive(_ datagram: RawSpan, from remote: TransportAddress, to local: TransportAddress) -> Bool {
    guard queries.contains(where: { $0.server == remote }), let message = try? STUNMessage(datagram) else {
      return false
    }
    return queries.indices.contains { queries[$0].receive(message, from: remote, to: local) }
  }

  /// Takes a question that is answered or given up.
  mutating func takeFinished() -> ReflexiveAddressQuery? {
    queries.firstIndex { $0.state != .asking }.map { queries.remove(at: $0) }
  }
}
