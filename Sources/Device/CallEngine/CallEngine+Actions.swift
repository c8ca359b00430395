import CallPolicy
import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling

/// How a call's actions are carried out: one after the other in each of its two queues.
extension CallEngine {
  func enqueue(_ action: CallAction, sessionID: String) {
    switch action {
    case .hub(let action):
      guard append(action, to: \.hubActions, sessionID) else { return }
      Task { await drain(\.hubActions, sessionID) { await tellHub($0, $1) } }
    case .media(let action):
      guard append(action, to: \.mediaActions, sessionID) else { return }
      Task { await drain(\.mediaActions, sessionID) { await tellMedia($0, $1) } }
    }
  }

  /// Whether the queue has to be drained now, since nobody does.
  private func append<Action>(
    _ action: Action, to path: WritableKeyPath<Call, ActionQueue<Action>>, _ sessionID: String
  ) -> Bool {
    guard var queue = calls[sessionID]?[keyPath: path] else { return false }
    if !queue.append(action), !queue.hasOverflowed {
      queue.hasOverflowed = true
      logger.warning("call \(sessionID): too much at once, some of it was dropped")
    }
    let mustStart = !queue.isRunning
    queue.isRunning = true
    calls[sessionID]?[keyPath: path] = queue
    return mustStart
  }

  private func drain<Action>(
    _ path: WritableKeyPath<Call, ActionQueue<Action>>, _ sessionID: String,
    _ carryOut: (Action, CallDetails) async -> Void
  ) async {
    while let action = calls[sessionID]?[keyPath: path].popFirst() {
      guard let call = calls[sessionID] else { return }
      if call.machine.phase.isEnded, !action.isEssential { continue }
      await carryOut(action, call.details)
    }
    calls[sessionID]?[keyPath: path].isRunning = false
    forgetIfOver(sessionID)
  }

  // MARK: Hub

  private func tellHub(_ action: HubAction, _ call: CallDetails) async {
    do {
      try await send(action, call)
    } catch {
      hubRefused(action, error, sessionID: call.sessionID)
    }
  }

  private func place(_ offer: String, _ call: CallDetails) async throws(HubClientError) {
    let request = SessionRequest(
      receiverID: call.party.userID, isAudio: call.isAudio, isVideo: call.isVideo, offer: offer)
    let grant = try await environment.hub.place(request, sessionID: call.sessionID)
    update(call.sessionID) { $0.placed(grant.iceServers) }
  }

  private func send(_ action: HubAction, _ call: CallDetails) async throws(HubClientError) {
    let hub = environment.hub
    let sessionID = call.sessionID
    switch action {
    case .place(let offer):
      try await place(offer, call)
    case .ring:
      try await hub.ring(sessionID)
    case .reject(let reason):
      try await hub.reject(sessionID, reason: reason.rawValue)
    case .sendAnswer(let sdp, let number):
      try await hub.answer(sessionID, SessionDescription(sdp: sdp, offerNumber: number))
    case .sendOffer(let sdp):
      try await hub.offer(sessionID, sdp: sdp)
    case .sendCandidates(let candidates):
      let list = candidates.map { SessionCandidates.Candidate(candidate: $0, sdpMid: nil, sdpMLineIndex: 0) }
      try await hub.sendCandidates(SessionCandidates(candidates: list), sessionID: sessionID)
    case .warn(let warning):
      try await hub.sendSignal(SessionSignal(type: "warning", data: warning.json), sessionID: sessionID)
    case .announceArchive(let archiveID, let status):
      tellWatchers(archiveID: archiveID, sessionID: sessionID, status: status)
      try await hub.announceArchive(ArchiveEvent(sessionID: sessionID, archiveID: archiveID, status: status))
    case .reportControl(let control, let refusal):
      let result = SessionControlResult(
        action: control.action, target: control.target, isDone: refusal == nil, reason: refusal?.reason,
        detail: refusal?.detail)
      try await hub.sendControlResult(result, sessionID: sessionID)
    case .endSession(let reason):
      try await hub.endSession(sessionID, reason: reason)
    }
  }

  private func tellWatchers(archiveID: String, sessionID: String, status: String) {
    watchers.tell(
      status == "started"
        ? .archiveStarted(archiveID: archiveID, sessionID: sessionID)
        : .archiveStopped(archiveID: archiveID, sessionID: sessionID, status: status))
  }

  private func hubRefused(_ action: HubAction, _ error: HubClientError, sessionID: String) {
    // Only the action's name: candidates and SDP carry addresses.
    let name = String(describing: action).prefix { $0 != "(" }
    logger.log(
      level: isExpected(action, error, sessionID) ? .debug : .warning, "call \(sessionID): \(name) failed: \(error)")
    switch action {
    case .ring where error.isForgotten, .sendAnswer where error.isForgotten:
      update(sessionID) { $0.remoteEnded(EndReason.vanished.rawValue) }
    case .sendAnswer(_, offerNumber: 0):
      let isElsewhere = error.refusal == CallMachine.answeredElsewhere
      update(sessionID) { $0.answerRefused(isAnsweredElsewhere: isElsewhere) }
    case .place:
      let refusal =
        error.isAbsence ? .unreachable : CallMachine.Refusal.refused(error.refusal ?? EndReason.error.rawValue)
      update(sessionID) { $0.placingFailed(refusal) }
    default:
      break
    }
  }

  private func isExpected(_ action: HubAction, _ error: HubClientError, _ sessionID: String) -> Bool {
    switch action {
    // Of two offers that cross the caller's goes on; the receiver's is taken back.
    case .sendOffer: error.refusal == "wrong-state"
    // A newer offer has taken the place of the one that was answered.
    case .sendAnswer(_, let number) where number != 0: error.refusal == "wrong-state"
    // A hub that has forgotten a call that is over is no news.
    default: error.isForgotten && calls[sessionID]?.machine.phase.isEnded ?? true
    }
  }

  // MARK: Media

  private func tellMedia(_ action: MediaAction, _ call: CallDetails) async {
    let media = environment.media
    let sessionID = call.sessionID
    switch action {
    case .answer(let settings): await answerMedia(settings, call)
    case .offer(let settings): await offerMedia(settings, call)
    case .accept(let answer): await acceptMedia(answer, sessionID)
    case .addServers(let servers): await media.addICEServers(servers, sessionID: sessionID)
    case .renegotiate(let offer): await renegotiate(offer, sessionID)
    case .addCandidates(let candidates): await media.addRemoteCandidates(candidates, sessionID: sessionID)
    case .tellMutes(let control):
      await tellMutes()
      if let control { carryOut([.hub(.reportControl(control, refusal: nil))], sessionID: sessionID) }
    case .swapCamera(let control): await swapCamera(control, sessionID)
    case .startArchive(let rule): await startArchive(rule, call)
    case .stopArchive(let archiveID):
      let hasEnded = calls[sessionID]?.machine.phase.isEnded ?? true
      await media.stopArchive(archiveID: archiveID, reason: hasEnded ? .sessionEnded : .userInitiated)
      carryOut([.hub(.announceArchive(archiveID: archiveID, status: "stopped"))], sessionID: sessionID)
    case .hangUp: await media.hangUp(sessionID: sessionID)
    }
  }

  private func answerMedia(_ settings: AnswerSettings, _ call: CallDetails) async {
    var publish: Set<MediaKind> = []
    if settings.publishesAudio, call.isAudio { publish.insert(.audio) }
    if settings.publishesVideo, call.isVideo { publish.insert(.video) }
    let maySend = calls[call.sessionID]?.partyRole != .subscriber
    let request = AnswerRequest(
      sessionID: call.sessionID, offer: call.offer, publish: publish, subscribe: maySend ? [.audio, .video] : [],
      mayTalk: settings.mayTalk && maySend, playsTone: settings.playsTone, iceServers: call.iceServers)
    do {
      let sdp = try await environment.media.answer(request)
      update(call.sessionID) { $0.mediaAnswered(sdp) }
    } catch {
      logger.warning("call \(call.sessionID): the offer cannot be answered: \(error)")
      update(call.sessionID) { $0.mediaRefused() }
    }
  }

  private func renegotiate(_ offer: NumberedOffer, _ sessionID: String) async {
    var answer: String?
    do {
      answer = try await environment.media.renegotiate(sessionID: sessionID, offer: offer.sdp)
    } catch {
      // The call goes on as it was; if it cannot, the media plane says so.
      logger.warning("call \(sessionID): the new offer cannot be answered: \(error)")
    }
    let now = environment.now()
    update(sessionID) { $0.mediaRenegotiated(answer, to: offer.number, now: now) }
  }

  private func swapCamera(_ control: CallControl, _ sessionID: String) async {
    var refusal: ControlRefusal?
    do {
      try await environment.media.swapCamera()
    } catch {
      logger.warning("the camera cannot be swapped: \(error)")
      refusal = .notPossible
    }
    carryOut([.hub(.reportControl(control, refusal: refusal))], sessionID: sessionID)
  }

  private func startArchive(_ rule: String?, _ call: CallDetails) async {
    let description = ArchiveDescription(
      sessionID: call.sessionID, callerID: call.caller.userID, callerTitle: call.caller.userTitle,
      receiverID: call.receiver?.userID, policyRule: rule, hasAudio: call.isAudio, hasVideo: call.isVideo)
    do {
      let archiveID = try await environment.media.startArchive(sessionID: call.sessionID, description: description)
      update(call.sessionID) { $0.archiveStarted(archiveID) }
      resumeArchiveWaiters(call.sessionID, .success(archiveID))
    } catch {
      // A full or failing disk stops the recording, not the call.
      logger.error("call \(call.sessionID) is not recorded: \(error)")
      watchers.tell(.source(text: "not recorded: \(error)"))
      update(call.sessionID) { machine in
        machine.archiveFailed()
        return []
      }
      resumeArchiveWaiters(call.sessionID, .failure(EngineError.archiveRefused))
    }
  }
}
