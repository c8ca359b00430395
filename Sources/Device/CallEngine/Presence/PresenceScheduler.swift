import MediaCore
import Signalling

/// Decides when presence is announced: at once when the event stream opens or something changes, when a position is
/// due, and as often as the hub asks for (a heartbeat). Without an event stream there are no calls, so nothing is
/// announced. Does no I/O.
struct PresenceScheduler: Sendable {
  /// For a hub that does not say how often.
  static let defaultHeartbeat = TimeSpan.seconds(20)
  /// What a hub can ask for.
  static let heartbeats = TimeSpan.seconds(10)...TimeSpan.seconds(3_600)

  /// One announcement.
  struct Step: Sendable, Equatable {
    var location: LocationUpdate
    var eventStreamID: String
  }

  private(set) var location: LocationPublisher
  private(set) var eventStreamID: String?
  private var dueAt: MonotonicInstant?
  private var notBefore: MonotonicInstant?
  private var heartbeat = Self.defaultHeartbeat
  /// After failures.
  private var pause = Backoff(initial: .seconds(5), maximum: .seconds(60))
  private var inFlight: Step?
  /// Whether the hub may show a position of another run, stream or setting: the next announcement says where the device
  /// is, or that it is nowhere.
  private var mustReportLocation = true
  private var changedInFlight = false

  init(location: LocationPublisher) { self.location = location }

  mutating func receive(_ fix: PositionFix) { location.receive(fix) }

  /// The event stream opened. The hub may have forgotten everything meanwhile.
  ///
  /// - Parameter heartbeat: how often the hub asks for a repetition; nil from one that does not say.
  mutating func streamOpened(_ eventStreamID: String, heartbeat: TimeSpan?, now: MonotonicInstant) {
    self.eventStreamID = eventStreamID
    self.heartbeat =
      heartbeat.map {
        min(max($0, Self.heartbeats.lowerBound), Self.heartbeats.upperBound)
      } ?? Self.defaultHeartbeat
    notBefore = nil
    pause.reset()
    location.republish()
    mustReportLocation = true
    changed(now: now)
  }

  mutating func streamClosed() {
    eventStreamID = nil
    dueAt = nil
  }

  /// A part of presence has changed.
  mutating func changed(now: MonotonicInstant) {
    dueAt = now
    changedInFlight = inFlight != nil
  }

  /// The settings about the position have changed; the next announcement takes back what was published under the old
  /// ones. Presence itself stays, since calls end with it.
  mutating func replaceLocation(_ publisher: LocationPublisher, now: MonotonicInstant) {
    location = publisher
    mustReportLocation = true
    changed(now: now)
  }

  /// The position is not to be shown any longer; returns whether one may have been.
  mutating func withdrawPosition(now: MonotonicInstant) -> Bool {
    guard location.forget() else { return false }
    mustReportLocation = true
    changed(now: now)
    return true
  }

  /// What to send now; ``succeeded(random:now:)`` or ``failed(retryAfter:random:now:)`` must follow before there is more.
  mutating func next(now: MonotonicInstant) -> Step? {
    guard let eventStreamID, inFlight == nil, notBefore.map({ $0 <= now }) ?? true else { return nil }
    let position = location.due(now: now)
    guard (dueAt.map { $0 <= now } ?? false) || position != nil else { return nil }
    changedInFlight = false
    let update = position.map { LocationUpdate.at($0) } ?? (mustReportLocation ? .withdrawn : .unchanged)
    // What changes meanwhile asks for it again.
    mustReportLocation = false
    let step = Step(location: update, eventStreamID: eventStreamID)
    inFlight = step
    return step
  }

  /// The announcement failed: it is made again after a pause, or after that which the hub asks for.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  mutating func failed(retryAfter: TimeSpan?, random: Double, now: MonotonicInstant) {
    guard let step = inFlight else { return }
    inFlight = nil
    if step.location != .unchanged { mustReportLocation = true }
    guard eventStreamID != nil else { return }
    notBefore = now + pause.next(random: random, requested: retryAfter)
    dueAt = notBefore
  }

  /// The announcement was made; the next is due after the heartbeat's time, a quarter more or less.
  ///
  /// - Parameter random: uniformly distributed in 0 ..< 1.
  mutating func succeeded(random: Double, now: MonotonicInstant) {
    guard let step = inFlight else { return }
    inFlight = nil
    notBefore = nil
    pause.reset()
    guard let eventStreamID else { return }
    // A position that was announced under settings or to a stream of before is none of this publisher's.
    if !mustReportLocation, step.eventStreamID == eventStreamID, case .at(let position) = step.location {
      location.didPublish(position, now: now)
    }
    let factor = 0.75 + 0.5 * random
    let jittered = Int64(saturating: Double(heartbeat.nanoseconds) * factor)
    dueAt = changedInFlight ? now : now + TimeSpan(nanoseconds: jittered)
  }

  /// When ``next(now:)`` will have something.
  var nextDeadline: MonotonicInstant? {
    guard eventStreamID != nil, inFlight == nil else { return nil }
    guard let deadline = [dueAt, location.nextDue].compactMap({ $0 }).min() else { return nil }
    return max(deadline, notBefore ?? deadline)
  }
}
