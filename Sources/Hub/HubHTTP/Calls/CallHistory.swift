internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Signalling

/// Keeps calls that are over, and reports them to their parties' pages.
///
/// Each end of a call comes to the node whose change of the session took effect, and may come to another one, too, if that
/// node dies: the store keeps each call once. Of calls that are on while a hub of one node stops nothing is kept.
final class CallHistory: Sendable {
  private static let trimInterval: Duration = .seconds(3_600)
  /// Notices to pages that wait; the next one has the same figures.
  private static let noticeCapacity = 1_024

  /// How long calls are kept; zero: none are.
  let retention: Duration
  private let store: any HubStore
  private let queue: CallQueue
  private let logger: Logger
  private let kept: AsyncStream<[CallRecord]>

  init(retention: Duration, store: any HubStore, logger: Logger) {
    (self.retention, self.store, self.logger) = (retention, store, logger)
    let (kept, arrival) = AsyncStream.makeStream(
      of: [CallRecord].self, bufferingPolicy: .bufferingNewest(Self.noticeCapacity))
    self.kept = kept
    queue = CallQueue(logger: logger) { records in
      let owners = try await store.insertCalls(records)
      arrival.yield(records.filter { owners.contains($0.ownerID) })
    }
  }

  /// Returns at once.
  func take(_ report: CallReport) {
    guard retention > .zero else { return }
    queue.add(
      CallRecord.records(
        of: CallEntry(report, at: .now, time: TokenAuthority.nowInMilliseconds), from: report.caller,
        to: report.receiver))
  }

  /// Keeps and forgets calls until the task is cancelled.
  func run(reportingTo backplane: any HubBackplane) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.queue.run() }
      group.addTask { await self.trim() }
      group.addTask {
        for await records in self.kept {
          for record in records { await self.report(record, to: backplane) }
        }
      }
    }
  }

  /// Notes what a person has seen, and reports that to the person's pages.
  func noteSeen(until time: Int64, by userID: String, reportingTo backplane: any HubBackplane) async throws {
    try await store.noteCallsSeen(until: min(time, TokenAuthority.nowInMilliseconds), byUser: userID)
    try await backplane.publish([try await notice(of: nil, to: userID)])
  }

  private func report(_ record: CallRecord, to backplane: any HubBackplane) async {
    guard record.owner.kind == .person else { return }
    do {
      // Names no recording: the list does, to those who may fetch it.
      var call = record.call
      call.archiveID = nil
      try await backplane.publish([try await notice(of: call, to: record.ownerID)])
    } catch {
      logger.debug("a page is not notified of a call: \(error)")
    }
  }

  private func notice(of call: CallEntry?, to userID: String) async throws -> Delivery {
    let missed = try await store.missedCallCount(ofUser: userID)
    return Delivery(userID: userID, event: .callHistory(CallHistoryEvent(missed: missed, call: call)))
  }

  /// At the start as well: the retention may have become shorter.
  private func trim() async {
    var isFailing = false
    repeat {
      do {
        let oldest = TokenAuthority.nowInMilliseconds - retention.wholeMilliseconds
        try await store.trimCalls(endedBefore: retention > .zero ? oldest : .max, maximum: CallRecord.maximum)
        isFailing = false
      } catch {
        // Once for each time that it begins to fail.
        if !isFailing { logger.warning("old calls cannot be forgotten, which is tried again in an hour: \(error)") }
        isFailing = true
      }
    } while (try? await Task.sleep(for: Self.trimInterval)) != nil
  }
}

/// Runs the call history beside a backplane.
struct CallKeeping: Service {
  let history: CallHistory
  let backplane: any HubBackplane

  func run() async throws {
    await cancelWhenGracefulShutdown { await history.run(reportingTo: backplane) }
  }
}

extension CallEntry {
  /// - Parameter time: what `now` is in milliseconds since 1970.
  init(_ report: CallReport, at now: Instant, time: Int64) {
    func milliseconds(_ instant: Instant) -> Int64 { time - instant.duration(to: now).wholeMilliseconds }
    self.init(
      sessionID: report.sessionID, caller: SessionParty(report.caller), receiver: SessionParty(report.receiver),
      media: report.media, outcome: report.outcome, reason: report.reason, startedAt: milliseconds(report.startedAt),
      ringingAt: report.ringingAt.map(milliseconds), answeredAt: report.answeredAt.map(milliseconds),
      endedAt: milliseconds(report.endedAt), archiveID: report.archiveID)
  }
}

extension SessionParty {
  init(_ principal: Principal) {
    self.init(userID: principal.userID, userTitle: principal.userTitle, kind: principal.kind)
  }
}
