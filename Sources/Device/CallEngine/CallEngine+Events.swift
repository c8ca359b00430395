import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import SessionToken
import Signalling
internal import JournalLogging

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
    let now = environment.now()
    switch event {
    case .hello(let hello): streamOpened(hello)
    case .callIncoming(let call): receive(call)
    case .callEnded(let end), .callRejected(let end): update(end.sessionID) { $0.remoteEnded(end.reason) }
    case .callCandidates(let event):
      update(event.sessionID) { $0.remoteCandidates(event.candidates.map(\.candidate)) }
    case .callOffer(let event):
      update(event.sessionID) { $0.remoteOffer(NumberedOffer(sdp: event.sdp, number: event.offerNumber), now: now) }
    case .callRinging(let event): receive(event)
    case .callAnswered(let answer): receive(answer)
    case .signal(let signal): receive(signal)
    case .control(let control):
      carryOut(calls.take(control, cameras: settings.cameras, now: now), sessionID: control.sessionID)
    case .request(let request): await environment.answerArchiveRequest(parties.verified(request, environment))
    // Another device that records says so, and a page's matters are no device's.
    case .archiveStarted, .archiveStopped, .callTaken, .callHistory, .controlResult, .presence: break
    }
  }

  private func receive(_ ringing: SessionEvent) {
    let before = calls[ringing.sessionID]?.machine.phones
    note(ringing)
    update(ringing.sessionID) { $0.rings(phones: ringing.phones) }
    if let call = calls[ringing.sessionID], call.ringCount <= Call.maximumOffers, let party = call.actionParty {
      actionRequests?.beginOffer(to: party, in: ringing.sessionID)
    }
    guard let phones = calls[ringing.sessionID]?.machine.phones, phones != before else { return }
    logger.notice("call \(ringing.sessionID) rings on \(phones) phone\(phones == 1 ? "" : "s")")
  }

  /// Knows by the hub's signature at whom it rings; an older hub says so with the answer alone.
  private func note(_ ringing: SessionEvent) {
    guard let call = calls[ringing.sessionID], call.machine.phase.awaitsAnswer, let token = ringing.token else {
      return
    }
    let role = parties.role(of: call.details.party.userID, in: ringing.sessionID, by: token, environment)
    calls[ringing.sessionID]?.partyRole = role
    calls[ringing.sessionID]?.ringCount = min(call.ringCount + 1, Call.maximumOffers + 1)
    calls[ringing.sessionID]?.details.note(role: ringing.receiverRole, groups: ringing.receiverGroups)
  }

  private func streamOpened(_ hello: HelloEvent) {
    if hello.isReset {
      logger.info("the hub may have lost events")
      for sessionID in calls.sessionIDs { update(sessionID) { $0.eventsLost() } }
    }
    parties.expireKeys()
    fetchKeys()
    presence.streamOpened(
      hello.eventStreamID, heartbeat: hello.heartbeatInterval.map { .seconds(Int64(min(max($0, 0), 86_400))) })
    watchers.notify(.hub(isConnected: true))
  }

  /// Asks the hub for its keys, unless that is under way or was done just now.
  func fetchKeys() {
    guard !isStopped, parties.beginFetch(now: environment.now()) else { return }
    keyFetch = Task {
      self.parties.finishFetch(await PartyVerifier.requestKeys(self.environment))
      while let event = self.parties.popHeld() { await self.act(on: event) }
    }
  }

  /// Takes one event of the media plane.
  func handle(_ event: MediaPlaneEvent) async {
    if environment.publishers?.take(event) == true { return }
    if previews.take(event, &calls) { return loop.wake(by: nextDeadline) }
    if let (sessionID, step) = event.step(now: environment.now()) { update(sessionID, step) }
    switch event {
    case .localCandidates, .offerMade, .ended: break
    case .mediaMissing, .notHeard, .heard: event.callNote.map { logger.notice($0) }
    case .pathMissing(let sessionID, _, let text): logger.warning("call \(session: sessionID) finds no path: \(text)")
    case .linesSkipped(let sessionID, let lines):
      logger.debug("call \(sessionID): left out of its offer: \(lines.joined(separator: ", "))")
    case .connected(let sessionID):
      offerCameras(in: sessionID)
      if let party = calls[sessionID]?.actionParty { await actionRequests?.offer(to: party, in: sessionID) }
    case .digitReceived(let sessionID, let digit):
      if let party = calls[sessionID]?.actionParty { await actionRequests?.take(digit, of: party, in: sessionID) }
    case .archiveStopped(let archiveID, let sessionID, let status, let reason):
      // Why it stopped is a notice of the media plane.
      logger.info("archive \(archive: archiveID) stopped by itself: \(status)\(reason.isEmpty ? "" : ", \(reason)")")
      guard let sessionID else { return await recorder.stoppedByItself(archiveID, status: status, reason: reason) }
      let (mayResume, now) = (ArchiveLimit(rawValue: reason) != .share, environment.now())
      update(sessionID) { $0.archiveStopped(archiveID, status: status, mayResume: mayResume, now: now) }
    case .cameraSwapped(let name): watchers.notify(.cameraSwapped(name: name))
    case .notice(let notice):
      logger.log(level: notice.severity == .warning ? .warning : .notice, "\(notice)")
      watchers.notify(.source(text: "\(notice)"))
    }
  }
}

extension MediaPlaneEvent {
  /// What the log says of what a call lacks; nil for other events.
  fileprivate var callNote: JournalMessage? {
    switch self {
    case .mediaMissing(let sessionID, let missing):
      let texts = missing.map(\.text).joined(separator: "; ")
      return missing.isEmpty
        ? "call \(session: sessionID): nothing is missing any more"
        : "call \(session: sessionID): not carried: \(texts)"
    case .notHeard(let sessionID, let talkers):
      return "call \(session: sessionID): watches and listens only, since \(talkers) others talk"
    case .heard(let sessionID):
      return "call \(session: sessionID): its sound is played from now on, since another talker has left"
    case .localCandidates, .offerMade, .connected, .pathMissing, .linesSkipped, .digitReceived, .ended, .archiveStopped,
      .cameraSwapped, .notice:
      return nil
    }
  }

  /// What it means to a call; nil if it is about none.
  fileprivate func step(now: MonotonicInstant) -> (SessionID, (inout CallMachine) -> [CallAction])? {
    switch self {
    case .localCandidates(let sessionID, let candidates): (sessionID, { $0.localCandidates(candidates) })
    case .offerMade(let sessionID, let sdp): (sessionID, { $0.localOffer(sdp) })
    case .connected(let sessionID): (sessionID, { $0.mediaConnected(now: now) })
    case .mediaMissing(let sessionID, let missing): (sessionID, { $0.mediaMissing(missing) })
    case .pathMissing(let sessionID, let hidesAddresses, let text):
      (sessionID, { $0.mediaPathMissing(hidesAddresses: hidesAddresses, text) })
    case .notHeard(let sessionID, let talkers): (sessionID, { $0.warn(.notHeard(talkers: talkers)) })
    case .heard(let sessionID): (sessionID, { $0.warn(.heard) })
    case .ended(let sessionID, let reason): (sessionID, { $0.mediaEnded(reason) })
    case .digitReceived, .linesSkipped, .archiveStopped, .cameraSwapped, .notice: nil
    }
  }
}
