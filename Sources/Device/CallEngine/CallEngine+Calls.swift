import CallPolicy
import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling

/// How calls begin and go on.
extension CallEngine {
  /// Calls that are being turned away at the same time; more are left for the hub to end unanswered.
  private static let maximumRefusals = 16
  static let chatCapacity = 100

  /// Takes one event of the hub; never waits for hub or media.
  func handle(_ event: HubEvent) async {
    guard !waitsForKeys(event) else { return }
    await act(on: event)
  }

  func act(on event: HubEvent) async {
    switch event {
    case .hello(let hello): streamOpened(hello)
    case .streamClosed: streamClosed()
    case .incomingCall(let call): receive(call)
    case .callEnded(let end), .callRejected(let end): update(end.sessionID) { $0.remoteEnded(end.reason) }
    case .callCandidates(let event): receive(event)
    case .callOffer(let offer): receiveOffer(offer)
    case .callRinging(let event): update(event.sessionID) { $0.rings() }
    case .callAnswered(let answer): receive(answer)
    case .signal(let signal): receive(signal)
    case .control(let control): receive(control)
    case .request(let request): await environment.answerArchiveRequest(request)
    // Another device that records says so; nobody here has to be shown it.
    case .archiveStarted, .archiveStopped: break
    }
  }

  /// Takes one event of the media plane.
  func handle(_ event: MediaPlaneEvent) {
    let now = environment.now()
    switch event {
    case .localCandidates(let sessionID, let candidates):
      update(sessionID) { $0.localCandidates(candidates) }
    case .offerMade(let sessionID, let sdp):
      update(sessionID) { $0.localOffer(sdp) }
    case .connected(let sessionID):
      update(sessionID) { $0.mediaConnected(now: now) }
    case .unbundled(let sessionID, let kinds):
      let names = kinds.map { $0 == .audio ? "sound" : "pictures" }.sorted().joined(separator: " and ")
      logger.notice(
        "call \(sessionID): no \(names); the offer gives them a transport of their own (it needs max-bundle)")
      update(sessionID) { $0.mediaUnbundled(kinds) }
    case .ended(let sessionID, let reason):
      update(sessionID) { $0.mediaEnded(reason) }
    case .archiveStopped(let archiveID, let sessionID, let status, let reason):
      logger.warning("archive \(archiveID) stopped by itself: \(status)\(reason.isEmpty ? "" : ", \(reason)")")
      if deviceArchives.contains(archiveID) {
        continuous.ended(archiveID, byHand: false, now: now)
        forgetDeviceArchive(archiveID, status: status)
        rearm()
      } else {
        update(sessionID) { $0.archiveStopped(archiveID, status: status) }
      }
    case .cameraSwapped(let name):
      watchers.tell(.cameraSwapped(name: name))
    case .notice(let notice):
      logger.log(level: notice.severity == .warning ? .warning : .notice, "\(notice)")
      watchers.tell(.source(text: "\(notice)"))
    }
  }

  // MARK: Incoming calls

  private func receive(_ event: IncomingCallEvent) {
    guard !isStopped, calls[event.sessionID] == nil else { return }
    guard calls.count < settings.maximumSessions + Self.maximumRefusals else {
      logger.warning("too many calls at once; one was left unanswered")
      return
    }
    let role = verifiedRole(of: event.callerID, in: event.sessionID, by: event.callerToken)
    if role != nil { yield(to: event.callerID) }
    let now = environment.now()
    let (decision, ruleName) = decide(event, role, now: now)
    history.note(callerID: event.callerID, now: now, memory: settings.policy.longestMemory)
    let rule = ruleName.map { "rule \"\($0)\"" } ?? "no rule"
    logger.notice("call \(event.sessionID) of \(event.callerID): \(rule), \(decision)")
    let (machine, actions) = CallMachine.start(decision, ruleName: ruleName, now: now)
    let call = Call(details: CallDetails(event, role), startedAt: now, partyRole: role, machine: machine)
    calls[event.sessionID] = call
    watchers.tell(.incoming(snapshot(call)))
    carryOut(actions, sessionID: event.sessionID)
  }

  private func decide(
    _ event: IncomingCallEvent, _ role: SessionRole?, now: MonotonicInstant
  ) -> (PolicyDecision, ruleName: String?) {
    guard let role else { return (.reject(.notVerified), nil) }
    let live = calls.values.filter { !$0.machine.phase.isEnded }
    let ofCaller = live.count { $0.details.receiver == nil && $0.details.caller.userID == event.callerID }
    if let reason = settings.capacity.refusal(callsUp: live.count, ofCaller: ofCaller, role: role) {
      return (.reject(reason), nil)
    }
    let evaluation = evaluate(event, role, callsUp: live.count, now: now)
    return (evaluation.decision, evaluation.ruleName)
  }

  private func evaluate(
    _ event: IncomingCallEvent, _ role: SessionRole, callsUp: Int, now: MonotonicInstant
  ) -> Evaluation {
    let details = CallDetails(event, role)
    let request = CallRequest(
      callerID: event.callerID, callerRole: CallerRole(hubName: event.callerRole), callerGroups: event.callerGroups,
      isAudio: details.isAudio, isVideo: details.isVideo, distance: event.distance)
    let circumstances = CallCircumstances(
      callsUp: callsUp, recentCalls: history.ages(callerID: event.callerID, now: now),
      localTimes: environment.localTimes(settings.policy))
    return settings.policy.evaluate(request, in: circumstances)
  }

  private func receive(_ event: CandidatesEvent) {
    let before = calls[event.sessionID]?.machine.droppedCandidates
    update(event.sessionID) { $0.remoteCandidates(event.candidates.map(\.candidate)) }
    guard before == 0, calls[event.sessionID]?.machine.droppedCandidates ?? 0 > 0 else { return }
    logger.warning(
      """
      call \(event.sessionID): candidates were dropped: at most \(CandidateBudget.maximumCount), \
      \(MessageLimits.candidate) bytes each and \(CandidateBudget.maximumBytes) in all are taken
      """)
  }

  private func receiveOffer(_ event: DescriptionEvent) {
    let offer = NumberedOffer(sdp: event.sdp, number: event.offerNumber)
    let hadTooMany = calls[event.sessionID]?.machine.hasTooManyOffers
    let now = environment.now()
    update(event.sessionID) { $0.remoteOffer(offer, now: now) }
    guard hadTooMany == false, calls[event.sessionID]?.machine.hasTooManyOffers == true else { return }
    logger.warning(
      "call \(event.sessionID): the other side sends offers faster than they are answered; the newest alone counts")
  }

  // MARK: Signals

  /// Chat is for every role: it is neither sound nor picture, and controls nothing.
  private func receive(_ signal: SignalEvent) {
    guard signal.type == "chat", let call = calls[signal.sessionID], !call.machine.phase.isEnded else { return }
    guard signal.userID == call.details.party.userID, signal.data.utf8.count <= 8192 else { return }
    keep(ChatMessage(sessionID: signal.sessionID, userID: signal.userID, isOutgoing: false, text: signal.data))
  }

  /// Keeps a chat message for those who ask later, and shows it to those who watch.
  func keep(_ message: ChatMessage) {
    if chat.count == Self.chatCapacity { chat.removeFirst() }
    chat.append(message)
    watchers.tell(.chat(message))
  }

  // MARK: Steps

  /// Lets an event act on a call and starts what comes of it.
  func update(_ sessionID: String, _ step: (inout CallMachine) -> [CallAction]) {
    guard var machine = calls[sessionID]?.machine else { return }
    let actions = step(&machine)
    calls[sessionID]?.machine = machine
    carryOut(actions, sessionID: sessionID)
  }

  /// Queues actions, shows the call's new state, and forgets the call when it is over.
  func carryOut(_ actions: [CallAction], sessionID: String) {
    for action in actions { enqueue(action, sessionID: sessionID) }
    show(sessionID)
    if calls[sessionID]?.machine.phase.isEnded == true {
      resumeArchiveWaiters(sessionID, .failure(EngineError.noSuchCall))
      endMutes(sessionID)
    }
    forgetIfOver(sessionID)
    rearm()
  }

  func forgetIfOver(_ sessionID: String) {
    guard let call = calls[sessionID], call.isOver else { return }
    calls[sessionID] = nil
    if calls.isEmpty { resumeEndWaiter() }
    // The hub hears of the end, and whether the device is busy, with the next heartbeat.
    presence.changed(now: environment.now())
    rearm()
  }

  private func show(_ sessionID: String) {
    guard let call = calls[sessionID] else { return }
    let snapshot = snapshot(call)
    guard snapshot.phase != call.shownPhase else { return }
    calls[sessionID]?.shownPhase = snapshot.phase
    logger.info("call \(sessionID): \(snapshot.phase)")
    watchers.tell(.call(snapshot))
  }

  func snapshot(_ call: Call) -> CallSnapshot {
    let details = call.details
    return CallSnapshot(
      sessionID: details.sessionID, caller: details.caller, receiver: details.receiver, isAudio: details.isAudio,
      isVideo: details.isVideo, startedAt: call.startedAt, phase: call.machine.phase, ruleName: call.machine.ruleName,
      archiveID: call.machine.archive.runningID)
  }
}
