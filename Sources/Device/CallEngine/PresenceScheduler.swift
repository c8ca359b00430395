import MediaCore
import Signalling

/// Decides when presence is announced: at once when the event stream opens or something changes, when a position is
/// due, and every 20 s. Without an event stream nobody could call, so nothing is announced. Does no I/O.
struct PresenceScheduler: Sendable {
  static let heartbeat = TimeSpan.seconds(20)
  static let retry = TimeSpan.seconds(5)

  enum Step: Sendable, Equatable {
    /// Takes back a position that may not be shown any longer; an update follows.
    case withdraw
    case update(location: UserLocation?, eventStreamID: String)
  }

  private(set) var location: LocationPublisher
  private(set) var eventStreamID: String?
  private var dueAt: MonotonicInstant?
  private var notBefore: MonotonicInstant?
  private var inFlight: Step?
  private var mustWithdraw = false
  private var changedInFlight = false

  init(location: LocationPublisher) { self.location = location }

  mutating func receive(_ fix: PositionFix) { location.receive(fix) }

  /// The event stream opened. The hub may have forgotten everything meanwhile.
  mutating func streamOpened(_ eventStreamID: String, now: MonotonicInstant) {
    self.eventStreamID = eventStreamID
    notBefore = nil
    location.republish()
    changed(now: now)
  }

  mutating func streamClosed() {
    eventStreamID = nil
    dueAt = nil
  }

  /// Something that presence tells has changed.
  mutating func changed(now: MonotonicInstant) {
    dueAt = now
    changedInFlight = inFlight != nil
  }

  /// The settings about the position have changed; what was published under the old ones is taken back.
  mutating func replaceLocation(_ publisher: LocationPublisher, now: MonotonicInstant) {
    location = publisher
    mustWithdraw = eventStreamID != nil
    changed(now: now)
  }

  /// What to send now; ``finished(_:now:)`` must follow before there is more.
  mutating func next(now: MonotonicInstant) -> Step? {
    guard let eventStreamID, inFlight == nil, notBefore.map({ $0 <= now }) ?? true else { return nil }
    let position = location.due(now: now)
    guard (dueAt.map { $0 <= now } ?? false) || position != nil else { return nil }
    changedInFlight = false
    let step: Step = mustWithdraw ? .withdraw : .update(location: position, eventStreamID: eventStreamID)
    inFlight = step
    return step
  }

  /// The step was carried out, or failed.
  mutating func finished(_ isDone: Bool, now: MonotonicInstant) {
    guard let step = inFlight else { return }
    inFlight = nil
    guard eventStreamID != nil else { return }
    notBefore = isDone ? nil : now + Self.retry
    guard isDone else {
      dueAt = notBefore
      return
    }
    switch step {
    case .withdraw:
      mustWithdraw = false
      dueAt = now
    case .update(let position, let streamID):
      if let position, streamID == eventStreamID { location.didPublish(position, now: now) }
      dueAt = changedInFlight ? now : now + Self.heartbeat
    }
  }

  /// When ``next(now:)`` will have something.
  var nextDeadline: MonotonicInstant? {
    guard eventStreamID != nil, inFlight == nil else { return nil }
    guard let deadline = [dueAt, location.nextDue].compactMap({ $0 }).min() else { return nil }
    return max(deadline, notBefore ?? deadline)
  }
}
