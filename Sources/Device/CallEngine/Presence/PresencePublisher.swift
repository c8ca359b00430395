import HubClient
import SystemSupport
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling

/// Keeps the device online at the hub: announces it, with its place and its calls, when that is due.
///
/// ``run()`` does so until its task is cancelled. May be used from any task.
final class PresencePublisher: Sendable {
  private struct State {
    var presence: DevicePresence
    var settings: EngineSettings
    var link = HubLink()
    /// The live calls.
    var sessionIDs: [SessionID] = []
    /// The announcement that is under way, or the last one.
    var announcement: Task<Void, Never>?
    var isStopped = false

    var status: PresenceStatus { sessionIDs.count >= settings.maximumSessions ? .busy : .available }

    func positionReport(now: MonotonicInstant) -> PositionReport? {
      guard settings.location.isEnabled, settings.location.fixed == nil else { return nil }
      return presence.positionReport(now: now)
    }

    /// The announcement that is due, if any.
    mutating func nextUpdate(now: MonotonicInstant) -> PresenceUpdate? {
      guard let step = presence.next(now: now) else { return nil }
      var update = PresenceUpdate(
        userTitle: settings.title, status: status,
        kind: .device, isAudio: settings.hasAudio, isVideo: settings.hasVideo, eventStreamID: step.eventStreamID,
        sessions: sessionIDs)
      update.permits = settings.permits.map { permits in
        DevicePermission.allCases.filter { permits.contains($0) }.map(\.rawValue)
      }
      update.location = step.location
      if step.location != .withdrawn { update.positionAge = positionReport(now: now)?.age }
      return update
    }
  }

  private let environment: EngineEnvironment
  private let state: Mutex<State>
  private let loop = ControlLoop(longestRest: .seconds(60))

  /// How long a receiver's position is shown in the overlay when no other follows.
  private static let shownFor = TimeSpan.seconds(60)

  private var logger: Logger { environment.logger }

  init(_ environment: EngineEnvironment, _ settings: EngineSettings) {
    self.environment = environment
    state = Mutex(State(presence: DevicePresence(settings.location), settings: settings))
    showFixedPosition(settings.location)
  }

  /// That of a device that does not move; others need their receiver's first.
  private func showFixedPosition(_ location: LocationPublisher.Settings) {
    environment.showPosition(location.isEnabled ? location.fixed.map { location.published($0) } : nil, nil)
  }

  /// Whether the event stream is open, without which there are no calls.
  var isHubConnected: Bool { state.withLock { $0.presence.eventStreamID != nil } }

  /// Why presence could not be announced, if it could not lately.
  var failure: String? { state.withLock { $0.presence.failure } }

  /// How long there has been an event stream.
  var link: HubLink { state.withLock { $0.link } }

  /// What status says of the position; nil where there is none to expect of a receiver.
  var positionReport: PositionReport? { state.withLock { $0.positionReport(now: environment.now()) } }

  /// The announcement that was started last, for those who wait for its end.
  var announcement: Task<Void, Never>? { state.withLock { $0.announcement } }

  // MARK: What happens

  /// - Parameter heartbeat: how often the hub asks for a repetition; nil from one that does not say.
  func streamOpened(_ eventStreamID: String, heartbeat: TimeSpan?) {
    change { state, now in
      state.link.opened(now: now)
      state.presence.streamOpened(eventStreamID, heartbeat: heartbeat, now: now)
    }
  }

  func streamClosed() {
    change { state, _ in
      state.link.closed()
      state.presence.streamClosed()
    }
  }

  /// Calls have begun or ended; the next announcement says so, which is made at once where the device becomes busy or
  /// available by it.
  func setSessions(_ sessionIDs: [SessionID]) {
    let changesStatus = state.withLock { state in
      let before = state.status
      state.sessionIDs = sessionIDs
      return state.status != before
    }
    if changesStatus { changed() }
  }

  /// A part of presence has changed, which the hub learns at once.
  func changed() { change { $0.presence.changed(now: $1) } }

  func apply(_ settings: EngineSettings) {
    let hasMoved = change { state, now in
      let before = state.settings.location
      state.settings = settings
      if settings.location != before {
        state.presence.replaceLocation(settings.location, now: now)
      } else {
        state.presence.changed(now: now)
      }
      return settings.location != before
    }
    if hasMoved { showFixedPosition(settings.location) }
  }

  /// Publishes plausible positions alone, and hands those that belong there to the tracks of archives.
  func take(_ fix: PositionFix) async {
    let clock = environment.isClockSynchronized() ? environment.wallClock() : nil
    let (outcome, location) = change { state, now in
      let location = state.settings.location
      return (location.isEnabled ? state.presence.receive(fix, clock: clock, now: now) : .refused(nil), location)
    }
    switch outcome {
    case .taken(let fix, let isOnTrack, let wrongDate):
      if let wrongDate { warn(ofDate: wrongDate) }
      environment.watchPosition(fix)
      if location.fixed == nil {
        environment.showPosition(location.published(UserLocation(fix)), environment.now() + Self.shownFor)
      }
      if isOnTrack { await environment.media.notePosition(fix) }
    case .refused(let doubt?): logger.warning("a position is left out: \(doubt); livesessions status counts them")
    case .refused(nil): break
    }
  }

  private func warn(ofDate date: Int64) {
    logger.warning(
      """
      the receiver's date is \(dateText(date)), which is wrong: its count of weeks began again; positions are taken without \
      their time; update the receiver's firmware
      """)
  }

  @discardableResult
  private func change<Result: Sendable>(_ body: (inout State, MonotonicInstant) -> Result) -> Result {
    let now = environment.now()
    let (result, deadline) = state.withLock { state in
      let result = body(&state, now)
      return (result, state.presence.nextDeadline)
    }
    loop.wake(by: deadline)
    return result
  }

  // MARK: Announcements

  func run() async {
    while !Task.isCancelled {
      tick()
      let deadline = state.withLock { $0.presence.nextDeadline }
      await loop.rest(until: deadline ?? .distantFuture, now: environment.now())
    }
  }

  /// Does what is due: takes an old position back, and starts an announcement; at most one is under way.
  func tick() {
    let now = environment.now()
    if state.withLock({ $0.presence.expirePosition(now: now) }) {
      logger.warning("gpsd has reported no plausible position for 5 minutes: none is published until it does")
    }
    state.withLock { state in
      guard !state.isStopped, let update = state.nextUpdate(now: now) else { return }
      state.announcement = Task { await announce(update) }
    }
  }

  private func announce(_ update: PresenceUpdate) async {
    var failure: HubClientError?
    do {
      try await environment.hub.updatePresence(update)
    } catch {
      failure = error
    }
    let random = environment.random()
    let isNew = change { [failure] in $0.presence.finished(failure, random: random, now: $1) }
    if isNew, let failure { logger.warning("presence cannot be announced: \(failure); trying again") }
  }

  /// Goes offline, if the hub was there lately; a hub that is not forgets the device by itself. Nothing is announced
  /// afterwards.
  func withdraw() async {
    let (announcement, isConnected) = state.withLock { state in
      state.isStopped = true
      return (state.announcement, state.presence.eventStreamID != nil)
    }
    // One that is still under way must not overtake the withdrawal.
    announcement?.cancel()
    await announcement?.value
    guard isConnected else { return }
    do {
      try await environment.hub.withdrawPresence()
    } catch {
      logger.notice("presence was not withdrawn: \(error)")
    }
  }
}
