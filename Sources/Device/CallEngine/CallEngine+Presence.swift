import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling

/// How the device is online.
extension CallEngine {
  func streamOpened(_ hello: HelloEvent) {
    if hello.isReset {
      logger.info("the hub may have lost events")
      for sessionID in calls.keys { update(sessionID) { $0.eventsLost() } }
    }
    signingKeys.expire()
    fetchKeys()
    presence.streamOpened(hello.eventStreamID, now: environment.now())
    watchers.tell(.hub(isConnected: true))
    rearm()
  }

  func streamClosed() {
    presence.streamClosed()
    watchers.tell(.hub(isConnected: false))
  }

  /// Publishes and tracks plausible positions alone.
  func handle(_ fix: PositionFix) async {
    guard settings.location.isEnabled else { return }
    let now = environment.now()
    guard isPlausible(fix, now: now) else { return }
    presence.receive(fix)
    rearm()
    if positions.track.passes(fix, now: now) { await environment.media.notePosition(fix) }
  }

  private func isPlausible(_ fix: PositionFix, now: MonotonicInstant) -> Bool {
    let clock = environment.isClockSynchronized() ? environment.wallClock() : nil
    if positions.filter.passes(fix, now: now, clock: clock) { return true }
    if let doubt = positions.filter.doubt, positions.beginTelling(now: now) {
      logger.warning("a position is left out: \(doubt); livesessions status counts them")
    }
    return false
  }

  /// Takes a position back that the receiver has not confirmed for long.
  func expirePosition(now: MonotonicInstant) {
    guard positions.filter.becomesStale(now: now), presence.withdrawPosition(now: now) else { return }
    logger.warning("gpsd has told no plausible position for 5 minutes: none is published until it does")
  }

  /// What status says of the position; nil where there is none to expect of a receiver.
  var positionReport: PositionReport? {
    guard settings.location.isEnabled, settings.location.fixed == nil else { return nil }
    let filter = positions.filter
    return PositionReport(
      age: filter.age(now: environment.now()), isStale: filter.isStale, refusedCount: filter.refusedCount,
      doubt: filter.doubt.map { "\($0)" })
  }

  /// Starts the announcement that is due, if any; at most one is under way.
  func announcePresence(now: MonotonicInstant) {
    guard !isStopped, let step = presence.next(now: now) else { return }
    announcement = Task {
      let isDone = await self.announce(step)
      self.presence.finished(isDone, now: self.environment.now())
      self.rearm()
    }
  }

  /// Goes offline, if the hub was there lately; a hub that is not forgets the device by itself.
  func withdrawPresence() async {
    guard presence.eventStreamID != nil else { return }
    do {
      try await environment.hub.withdrawPresence()
    } catch {
      logger.notice("presence was not withdrawn: \(error)")
    }
  }

  private func announce(_ step: PresenceScheduler.Step) async -> Bool {
    do {
      try await environment.hub.updatePresence(presenceUpdate(step))
      presenceFailure = nil
      return true
    } catch {
      if presenceFailure == nil { logger.warning("presence cannot be announced: \(error); trying again") }
      presenceFailure = "\(error)"
      return false
    }
  }

  private func presenceUpdate(_ step: PresenceScheduler.Step) -> PresenceUpdate {
    let live = calls.filter { !$0.value.machine.phase.isEnded }.map(\.key)
    var update = PresenceUpdate(
      userTitle: settings.title,
      status: live.count >= settings.maximumSessions ? .busy : .available, kind: .device,
      isAudio: settings.hasAudio, isVideo: settings.hasVideo, eventStreamID: step.eventStreamID,
      sessions: live.sorted())
    update.location = step.location
    if step.location != .withdrawn { update.positionAge = positionReport?.age }
    return update
  }
}
