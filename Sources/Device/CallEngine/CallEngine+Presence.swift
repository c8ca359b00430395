import HubClient
import Logging
import MediaCore
import Signalling

/// How the device is online.
extension CallEngine {
  func streamOpened(_ hello: HelloEvent) {
    if hello.isReset {
      logger.info("the hub may have lost events")
      for sessionID in calls.keys { update(sessionID) { $0.eventsLost() } }
    }
    presence.streamOpened(hello.eventStreamID, now: environment.now())
    watchers.tell(.hub(isConnected: true))
    rearm()
  }

  func streamClosed() {
    presence.streamClosed()
    watchers.tell(.hub(isConnected: false))
  }

  func handle(_ fix: PositionFix) async {
    presence.receive(fix)
    rearm()
    guard settings.location.isEnabled, track.passes(fix, now: environment.now()) else { return }
    await environment.media.notePosition(fix)
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
      switch step {
      case .withdraw: try await environment.hub.withdrawPresence()
      case .update(let location, let streamID):
        try await environment.hub.updatePresence(presenceUpdate(location, streamID))
      }
      presenceFailed = false
      return true
    } catch {
      if !presenceFailed { logger.warning("presence cannot be announced: \(error); trying again") }
      presenceFailed = true
      return false
    }
  }

  private func presenceUpdate(_ location: UserLocation?, _ eventStreamID: String) -> PresenceUpdate {
    let live = calls.filter { !$0.value.machine.phase.isEnded }.map(\.key)
    return PresenceUpdate(
      userTitle: settings.title, userLocation: location,
      status: live.count >= settings.maximumSessions ? .busy : .available, kind: .device,
      isAudio: settings.hasAudio, isVideo: settings.hasVideo, eventStreamID: eventStreamID, sessions: live.sorted())
  }
}
