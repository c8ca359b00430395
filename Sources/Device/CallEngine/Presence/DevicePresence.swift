import HubClient
import MediaCore
import Signalling

/// What the device says of itself: when it is announced, where it is, and what kept the last announcement from the hub.
///
/// Does no I/O and reads no clock.
struct DevicePresence: Sendable {
  private(set) var scheduler: PresenceScheduler
  private var positions = Positions()
  /// Why presence could not be announced, if it could not lately.
  private(set) var failure: String?

  init(_ location: LocationPublisher.Settings) {
    scheduler = PresenceScheduler(location: LocationPublisher(location))
  }

  /// The event stream, without which there are no calls; nil while there is none.
  var eventStreamID: String? { scheduler.eventStreamID }

  var nextDeadline: MonotonicInstant? {
    [scheduler.nextDeadline, positions.filter.staleAt].compactMap(\.self).min()
  }

  mutating func streamOpened(_ eventStreamID: String, heartbeat: TimeSpan?, now: MonotonicInstant) {
    scheduler.streamOpened(eventStreamID, heartbeat: heartbeat, now: now)
  }

  mutating func streamClosed() { scheduler.streamClosed() }

  /// A part of presence has changed.
  mutating func changed(now: MonotonicInstant) { scheduler.changed(now: now) }

  mutating func replaceLocation(_ settings: LocationPublisher.Settings, now: MonotonicInstant) {
    scheduler.replaceLocation(LocationPublisher(settings), now: now)
  }

  // MARK: Positions

  /// The result of a fix.
  enum FixOutcome {
    /// It is plausible; `isOnTrack` if it also belongs into the tracks of archives. With the receiver's wrong date when that
    /// is to be logged.
    case taken(PositionFix, isOnTrack: Bool, wrongDate: Int64?)
    /// It cannot be true; with the reason when that is to be logged.
    case refused(PositionFilter.Doubt?)
  }

  /// Takes a fix; `clock` is the wall clock in seconds since 1970 if it can be trusted.
  mutating func receive(_ fix: PositionFix, clock: Int64?, now: MonotonicInstant) -> FixOutcome {
    guard let fix = positions.filter.take(fix, now: now, clock: clock) else {
      return .refused(positions.filter.doubt.flatMap { positions.beginReport(now: now) ? $0 : nil })
    }
    scheduler.receive(fix)
    return .taken(
      fix, isOnTrack: positions.track.passes(fix, now: now), wrongDate: positions.beginDateReport())
  }

  /// Takes a position back that the receiver has not confirmed for long; returns whether one may have been published.
  mutating func expirePosition(now: MonotonicInstant) -> Bool {
    positions.filter.becomesStale(now: now) && scheduler.withdrawPosition(now: now)
  }

  func positionReport(now: MonotonicInstant) -> PositionReport {
    let filter = positions.filter
    return PositionReport(
      age: filter.age(now: now), isStale: filter.isStale, refusedCount: filter.refusedCount,
      doubt: filter.doubt.map { "\($0)" })
  }

  // MARK: Announcements

  /// The announcement that is due, if any; ``finished(_:random:now:)`` must follow before there is another.
  mutating func next(now: MonotonicInstant) -> PresenceScheduler.Step? { scheduler.next(now: now) }

  /// The announcement was made, or failed for a reason; returns whether the failure is the first after a success.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  mutating func finished(_ failure: HubClientError?, random: Double, now: MonotonicInstant) -> Bool {
    let isNew = failure != nil && self.failure == nil
    self.failure = failure.map { "\($0)" }
    if let failure {
      scheduler.failed(retryAfter: failure.retryAfter, random: random, now: now)
    } else {
      scheduler.succeeded(random: random, now: now)
    }
    return isNew
  }
}
