import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import SessionToken
import Signalling

/// What happens outside, and whom it concerns.
extension CallEngine {
  func handle(_ event: HubStreamEvent) async {
    switch event {
    case .event(let event): await handle(event)
    case .closed:
      presence.streamClosed()
      watchers.notify(.hub(isConnected: false))
    }
  }

  /// Takes one event of the hub; never waits for hub or media.
  func handle(_ event: HubEvent) async {
    if parties.needsKeys(for: event) { fetchKeys() }
    switch parties.take(event) {
    case .ready: await act(on: event)
    case .held: break
    case .dropped: logger.warning("too many events wait for the hub's keys; one was dropped")
    }
  }

  private func act(on event: HubEvent) async {
    switch event {
    case .hello(let hello): streamOpened(hello)
    case .callIncoming(let call): receive(call)
    case .callEnded(let end), .callRejected(let end): update(end.sessionID) { $0.remoteEnded(end.reason) }
    case .callCandidates(let event): receive(event)
    case .callOffer(let offer): receiveOffer(offer)
    case .callRinging(let event): update(event.sessionID) { $0.rings() }
    case .callAnswered(let answer): receive(answer)
    case .signal(let signal): receive(signal)
    case .control(let control): take(control)
    case .request(let request): await environment.answerArchiveRequest(request)
    // Another device that records says so, and a page's matters are no device's.
    case .archiveStarted, .archiveStopped, .callTaken, .controlResult, .presence: break
    }
  }

  private func take(_ control: ControlEvent) {
    guard var call = calls[control.sessionID], call.isLive else { return }
    let actions = ModeratorControls(mutes: mutes, logger: logger).take(control, in: &call)
    calls[control.sessionID] = call
    carryOut(actions, sessionID: control.sessionID)
  }

  private func streamOpened(_ hello: HelloEvent) {
    if hello.isReset {
      logger.info("the hub may have lost events")
      for sessionID in calls.sessionIDs { update(sessionID) { $0.eventsLost() } }
    }
    parties.expireKeys()
    fetchKeys()
    presence.streamOpened(hello.eventStreamID)
    watchers.notify(.hub(isConnected: true))
  }

  /// Asks the hub for its keys, unless that is under way or was done just now.
  func fetchKeys() {
    guard !isStopped, parties.beginFetch(now: environment.now()) else { return }
    keyFetch = Task {
      self.parties.finishFetch(await self.requestKeys())
      while let event = self.parties.popHeld() { await self.act(on: event) }
    }
  }

  private func requestKeys() async -> SigningKeySet? {
    do {
      return try await environment.hub.signingKeys()
    } catch {
      if !isStopped { logger.warning("the hub's keys, by which callers are verified, cannot be fetched: \(error)") }
      return nil
    }
  }

  /// Takes one event of the media plane.
  func handle(_ event: MediaPlaneEvent) async {
    let now = environment.now()
    switch event {
    case .localCandidates(let sessionID, let candidates): update(sessionID) { $0.localCandidates(candidates) }
    case .offerMade(let sessionID, let sdp): update(sessionID) { $0.localOffer(sdp) }
    case .connected(let sessionID): update(sessionID) { $0.mediaConnected(now: now) }
    case .unbundled(let sessionID, let kinds):
      let names = kinds.map { $0 == .audio ? "sound" : "pictures" }.sorted().joined(separator: " and ")
      logger.notice(
        "call \(sessionID): no \(names); the offer gives them a transport of their own (it needs max-bundle)")
      update(sessionID) { $0.mediaUnbundled(kinds) }
    case .notHeard(let sessionID, let talkers):
      logger.notice("call \(sessionID): watches and listens only, since \(talkers) others talk")
      update(sessionID) { $0.mediaNotHeard(talkers: talkers) }
    case .ended(let sessionID, let reason): update(sessionID) { $0.mediaEnded(reason) }
    case .archiveStopped(let archiveID, let sessionID, let status, let reason):
      logger.warning("archive \(archiveID) stopped by itself: \(status)\(reason.isEmpty ? "" : ", \(reason)")")
      guard await !recorder.stoppedByItself(archiveID, status: status) else { return }
      if let sessionID { update(sessionID) { $0.archiveStopped(archiveID, status: status) } }
    case .cameraSwapped(let name): watchers.notify(.cameraSwapped(name: name))
    case .notice(let notice):
      logger.log(level: notice.severity == .warning ? .warning : .notice, "\(notice)")
      watchers.notify(.source(text: "\(notice)"))
    }
  }
}
