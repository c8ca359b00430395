import MediaCore
import Signalling

/// Decides when presence is announced: at once when the event stream opens or something changes, when a position is
/// due, and every 20 s. Without an event stream nobody could call, so nothing is announced. Does no I/O.
struct PresenceScheduler: Sendable {
  static let heartbeat = TimeSpan.seconds(20)
  static let retry = TimeSpan.seconds(5)

  /// One announcement.
  struct Step: Sendable, Equatable {
    var location: LocationUpdate
    var eventStreamID: String
  }

  private(set) var location: LocationPublisher
  private(set) var eventStreamID: String?
  private var dueAt: MonotonicInstant?
  private var notBefore: MonotonicInstant?
  private var inFlight: Step?
  /// Whether the hub may show a position of another run, stream or setting: the next announcement says where the device
  /// is, or that it is nowhere.
  private var mustTellLocation = true
  private var changedInFlight = false

  init(location: LocationPublisher) { self.location = location }

  mutating func receive(_ fix: PositionFix) { location.receive(fix) }

  /// The event stream opened. The hub may have forgotten everything meanwhile.
  mutating func streamOpened(_ eventStreamID: String, now: MonotonicInstant) {
    self.eventStreamID = eventStreamID
    notBefore = nil
    location.republish()
    mustTellLocation = true
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

  /// The settings about the position have changed; the next announcement takes back what was published under the old
  /// ones. Presence itself stays, since calls end with it.
  mutating func replaceLocation(_ publisher: LocationPublisher, now: MonotonicInstant) {
    location = publisher
    mustTellLocation = true
    changed(now: now)
  }

  /// The position is not to be shown any longer; returns whether one may have been.
  mutating func withdrawPosition(now: MonotonicInstant) -> Bool {
    guard location.forget() else { return false }
    mustTellLocation = true
    changed(now: now)
    return true
  }

  /// What to send now; ``finished(_:now:)`` must follow before there is more.
  mutating func next(now: MonotonicInstant) -> Step? {
    guard let eventStreamID, inFlight == nil, notBefore.map({ $0 <= now }) ?? true else { return nil }
    let position = location.due(now: now)
    guard (dueAt.map { $0 <= now } ?? false) || position != nil else { return nil }
    changedInFlight = false
    let update = position.map { LocationUpdate.at($0) } ?? (mustTellLocation ? .withdrawn : .unchanged)
    // What changes meanwhile asks for it again.
    mustTellLocation = false
    let step = Step(location: update, eventStreamID: eventStreamID)
    inFlight = step
    return step
  }

  /// The announcement was made, or failed.
  mutating func finished(_ isDone: Bool, now: MonotonicInstant) {
    guard let step = inFlight else { return }
    inFlight = nil
    if !isDone, step.location != .unchanged { mustTellLocation = true }
    guard let eventStreamID else { return }
    notBefore = isDone ? nil : now + Self.retry
    guard isDone else {
      dueAt = notBefore
      return
    }
    // A position that was announced under settings or to a stream of before is none of this publisher's.
    if !mustTellLocation, step.eventStreamID == eventStreamID, case .at(let position) = step.location {
      location.didPublish(position, now: now)
    }
    dueAt = changedInFlight ? now : now + Self.heartbeat
  }

  /// When ``next(now:)`` will have something.
  var nextDeadline: MonotonicInstant? {
    guard eventStreamID != nil, inFlight == nil else { return nil }
    guard let deadline = [dueAt, location.nextDue].compactMap({ $0 }).min() else { return nil }
    return max(deadline, notBefore ?? deadline)
  }
}
