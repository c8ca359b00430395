public import Signalling
internal import SystemSupport

/// Writes and reads the audit log: who did what to whom at the hub.
///
/// ``record(_:)`` takes an event at once, and ``run()`` writes it. While the store cannot, events wait in a queue of
/// bounded length; what finds no room there is counted, and the count becomes an entry as soon as there is room again.
public final class AuditLog: Sendable {
  /// What has become of events, for metrics.
  public struct Figures: Sendable, Equatable {
    public var written = 0
    public var lost = 0
    public var waiting = 0

    public init() {}
  }

  static let capacity = 1_024
  /// Entries of one change of the store.
  private static let portion = 64
  /// Records that one page is chosen from.
  private static let searched = 4_096
  private static let upkeepInterval: Duration = .seconds(10)

  fileprivate struct State: Sendable {
    var summaries = AuditSummaries()
    var queue: [AuditRecord] = []
    /// Of those, how many are being written.
    var underWay = 0
    /// Lost since the last entry that says so.
    var unreported = 0
    var firstLostAt: Int64 = 0
    var figures = Figures()
  }

  private let store: any HubStore
  private let limits: AuditLimits
  private let onTrouble: @Sendable (_ failure: String?) -> Void
  private let time: @Sendable () -> Int64
  private let state = Mutex(State())
  private let occasions: AsyncStream<Void>
  private let occasion: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - time: milliseconds since 1970.
  ///   - onTrouble: is called when entries cannot be written, and with nil when they can again.
  public init(
    store: any HubStore, limits: AuditLimits = AuditLimits(), time: @escaping @Sendable () -> Int64,
    onTrouble: @escaping @Sendable (_ failure: String?) -> Void = { _ in }
  ) {
    (self.store, self.limits, self.time, self.onTrouble) = (store, limits, time, onTrouble)
    (occasions, occasion) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  public var figures: Figures {
    state.withLock { state in
      var figures = state.figures
      figures.waiting = state.queue.count
      return figures
    }
  }

  // MARK: Writing

  /// Takes an event; it is written soon.
  public func record(_ event: AuditEvent) {
    let now = time()
    let isDue = state.withLock { state in
      guard let record = state.summaries.admit(event, now: .now, at: now) else { return false }
      state.enqueue(record, at: now)
      return true
    }
    if isDue { occasion.yield() }
  }

  /// Writes what is recorded until the task is cancelled; then what is left, if the store takes it. To be called once.
  public func run() async {
    var isFailing = false
    await withTaskGroup { group in
      group.addTask { [occasion] in
        while (try? await Task.sleep(for: Self.upkeepInterval)) != nil { occasion.yield() }
      }
      for await _ in occasions {
        do {
          try await writeQueue(endingSummaries: false)
          if isFailing { onTrouble(nil) }
          isFailing = false
        } catch {
          if !isFailing, !Task.isCancelled { onTrouble("\(error)") }
          isFailing = true
        }
      }
      group.cancelAll()
    }
    // Not cancelled, since a store refuses to write for who is.
    await Task { try? await flush() }.value
  }

  /// Writes what is recorded now, and summaries before their time: for a command that ends.
  public func flush() async throws { try await writeQueue(endingSummaries: true) }

  private func writeQueue(endingSummaries: Bool) async throws {
    let now = time()
    state.withLock { state in
      for record in state.summaries.take(at: now, all: endingSummaries) { state.enqueue(record, at: now) }
    }
    while let records = state.withLock({ $0.begin(Self.portion) }) {
      do {
        try await store.appendAudit(records, keeping: limits.bounds(at: now))
        state.withLock { $0.finish(records.count) }
      } catch {
        state.withLock { $0.underWay = 0 }
        throw error
      }
    }
  }

  // MARK: Reading

  /// Entries, the newest first. Each call searches a bounded part of the log.
  public func page(_ query: AuditQuery) async throws -> AuditPage {
    var items: [AuditEntry] = []
    var before = query.before
    var left = Self.searched
    while left > 0 {
      let records = try await store.audit(before: before, limit: min(left, 256))
      for record in records {
        if let oldest = query.since, record.entry.at < oldest { return AuditPage(items: items, next: nil) }
        before = record.entry.id
        guard query.matches(record) else { continue }
        items.append(record.entry)
        if items.count >= query.limit { return AuditPage(items: items, next: before) }
      }
      if records.count < min(left, 256) { return AuditPage(items: items, next: nil) }
      left -= records.count
    }
    return AuditPage(items: items, next: before)
  }
}

extension AuditLog.State {
  mutating func enqueue(_ record: AuditRecord, at time: Int64) {
    guard queue.count < AuditLog.capacity else {
      if unreported == 0 { firstLostAt = time }
      unreported += 1
      figures.lost += 1
      return
    }
    queue.append(record)
  }

  /// What is to be written next; nil where there is nothing, or some are being written.
  mutating func begin(_ maximum: Int) -> [AuditRecord]? {
    guard underWay == 0, !queue.isEmpty else { return nil }
    let records = Array(queue.prefix(maximum))
    underWay = records.count
    return records
  }

  mutating func finish(_ count: Int) {
    queue.removeFirst(count)
    underWay = 0
    figures.written += count
    guard unreported > 0 else { return }
    let event = AuditEvent(.entriesLost, by: AuditActor(.hub), outcome: .failed)
    queue.append(event.record(at: firstLostAt, count: unreported))
    unreported = 0
  }
}

/// Which entries are asked for.
public struct AuditQuery: Sendable {
  /// Older than the entry of that id.
  public var before: String?
  public var limit: Int
  public var kind: String?
  /// The id of who did it, or whom it was done to.
  public var userID: String?
  /// Milliseconds since 1970.
  public var since: Int64?
  /// What a reader of these groups may see; nil: everything.
  public var groups: Set<String>?

  public init(
    before: String? = nil, limit: Int, kind: String? = nil, userID: String? = nil, since: Int64? = nil,
    groups: Set<String>?
  ) {
    (self.before, self.limit, self.kind, self.userID) = (before, limit, kind, userID)
    (self.since, self.groups) = (since, groups)
  }

  func matches(_ record: AuditRecord) -> Bool {
    if let groups, groups.isDisjoint(with: record.groups) { return false }
    if let kind, record.entry.kind != kind { return false }
    guard let userID else { return true }
    return record.entry.actor.id == userID || record.entry.subject?.id == userID
  }
}
