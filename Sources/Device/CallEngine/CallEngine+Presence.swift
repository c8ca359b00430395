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
      for sessionID in calls.sessionIDs { update(sessionID) { $0.eventsLost() } }
    }
    parties.expireKeys()
    fetchKeys()
    presence.streamOpened(hello.eventStreamID, now: environment.now())
    watchers.notify(.hub(isConnected: true))
    rearm()
  }

  func streamClosed() {
    presence.streamClosed()
    watchers.notify(.hub(isConnected: false))
  }

  /// Publishes and tracks plausible positions alone.
  func handle(_ fix: PositionFix) async {
    guard settings.location.isEnabled else { return }
    let clock = environment.isClockSynchronized() ? environment.wallClock() : nil
    switch presence.receive(fix, clock: clock, now: environment.now()) {
    case .taken(let isOnTrack):
      rearm()
      if isOnTrack { await environment.media.notePosition(fix) }
    case .refused(let doubt?):
      logger.warning("a position is left out: \(doubt); livesessions status counts them")
    case .refused(nil): break
    }
  }

  /// What status says of the position; nil where there is none to expect of a receiver.
  var positionReport: PositionReport? {
    guard settings.location.isEnabled, settings.location.fixed == nil else { return nil }
    return presence.positionReport(now: environment.now())
  }

  /// Starts the announcement that is due, if any; at most one is under way.
  func announcePresence(now: MonotonicInstant) {
    guard !isStopped, let step = presence.next(now: now) else { return }
    announcement = Task {
      let failure = await self.announce(step)
      let isNews = self.presence.finished(failure.map { "\($0)" }, now: self.environment.now())
      if isNews, let failure { self.logger.warning("presence cannot be announced: \(failure); trying again") }
      self.rearm()
    }
  }

  /// Goes offline, if the hub was there lately; a hub that is not forgets the device by itself.
  func withdrawPresence() async {
    guard isHubConnected else { return }
    do {
      try await environment.hub.withdrawPresence()
    } catch {
      logger.notice("presence was not withdrawn: \(error)")
    }
  }

  /// Returns why it failed, if it did.
  private func announce(_ step: PresenceScheduler.Step) async -> HubClientError? {
    do {
      try await environment.hub.updatePresence(presenceUpdate(step))
      return nil
    } catch {
      return error
    }
  }

  private func presenceUpdate(_ step: PresenceScheduler.Step) -> PresenceUpdate {
    var update = PresenceUpdate(
      userTitle: settings.title,
      status: calls.liveCount >= settings.maximumSessions ? .busy : .available, kind: .device,
      isAudio: settings.hasAudio, isVideo: settings.hasVideo, eventStreamID: step.eventStreamID,
      sessions: calls.liveSessionIDs)
    update.location = step.location
    if step.location != .withdrawn { update.positionAge = positionReport?.age }
    return update
  }
}
