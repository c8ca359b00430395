import CallPolicy
import HubClient
import Logging
public import MediaCore
public import Signalling

/// How calls begin and go on.
extension CallEngine {
  /// Calls that are being turned away at the same time; more are left for the hub to end unanswered.
  private static let maximumRefusals = 16

  // MARK: Incoming calls

  func receive(_ event: IncomingCallEvent) {
    guard !isStopped, calls[event.sessionID] == nil else { return }
    guard calls.count < settings.maximumSessions + Self.maximumRefusals else {
      logger.warning("too many calls at once; one was left unanswered")
      return
    }
    let role = verifiedRole(of: event.callerID, in: event.sessionID, by: event.callerToken)
    if role != nil {
      // The call that comes in is judged as if this device's own had never been.
      for sessionID in calls.losers(against: event.callerID) { update(sessionID) { $0.hangUp(.glare) } }
    }
    let now = environment.now()
    let (decision, ruleName) = admission.decide(
      event, role, among: calls,
      .init(settings: settings, localTimes: environment.localTimes(settings.policy), now: now))
    let rule = ruleName.map { "rule \"\($0)\"" } ?? "no rule"
    logger.notice("call \(event.sessionID) of \(event.callerID): \(rule), \(decision)")
    let (machine, actions) = CallMachine.start(decision, ruleName: ruleName, now: now)
    begin(CallDetails(event, role, ownMedia: settings.ownMedia), machine, role: role)
    calls[event.sessionID].map { watchers.notify(.incoming($0.snapshot)) }
    carryOut(actions, sessionID: event.sessionID)
  }

  /// The role that the hub's signature gives to the other party; nil, and a line in the log, where there is no token or
  /// none that can be believed.
  private func verifiedRole(of userID: String, in sessionID: SessionID, by token: String?) -> SessionRole? {
    do {
      let time = environment.isClockSynchronized() ? environment.wallClock() : nil
      return try parties.role(of: userID, in: sessionID, by: token, at: time)
    } catch {
      logger.warning("call \(sessionID) with \(userID) is refused: \(error)")
      return nil
    }
  }

  // MARK: Outgoing calls

  /// Calls somebody at the hub and returns the session's id at once; what becomes of the call is told to those who
  /// watch.
  ///
  /// - Parameter media: what the call carries; what the device has, if nil.
  public func call(_ receiver: CallParty, _ media: Set<MediaKind>? = nil) async throws(EngineError) -> SessionID {
    try checkOutgoing(to: receiver)
    guard isHubConnected, let userID = await environment.hub.userID else { throw .notConnected }
    // Others may have had their turn meanwhile.
    try checkOutgoing(to: receiver)
    return place(receiver, media, as: userID)
  }

  /// Begins a call that nothing speaks against.
  func place(_ receiver: CallParty, _ media: Set<MediaKind>?, as userID: String) -> SessionID {
    let ownMedia = settings.ownMedia
    let media = media ?? ownMedia
    let details = CallDetails(
      sessionID: environment.makeSessionID(), caller: CallParty(userID: userID, userTitle: settings.title),
      receiver: receiver, isAudio: media.contains(.audio), isVideo: media.contains(.video), ownMedia: ownMedia)
    logger.notice("call \(details.sessionID) to \(details.party.userID)")
    let (machine, actions) = CallMachine.place(settings.policy.outgoing, now: environment.now())
    begin(details, machine)
    carryOut(actions, sessionID: details.sessionID)
    return details.sessionID
  }

  func checkOutgoing(to receiver: CallParty) throws(EngineError) {
    guard !isStopped else { throw .stopped }
    try CallAdmission.checkOutgoing(to: receiver, among: calls, settings)
  }

  /// The other side's answer, to the call or to an offer within it; the first one says who answers.
  func receive(_ answer: DescriptionEvent) {
    guard let call = calls[answer.sessionID] else { return }
    if call.machine.awaitsAnswer {
      let role = verifiedRole(of: call.details.party.userID, in: answer.sessionID, by: answer.token)
      calls[answer.sessionID]?.partyRole = role
      // What a subscriber would send is offered a place already, so the call cannot go on.
      let refusal: RejectReason? = role == nil ? .notVerified : role == .subscriber ? .notAllowed : nil
      if let refusal { return update(answer.sessionID) { $0.answererRefused(refusal) } }
    }
    let now = environment.now()
    update(answer.sessionID) { $0.remoteAnswer(answer.sdp, now: now) }
  }

  // MARK: Candidates, offers, chat

  func receive(_ event: CandidatesEvent) {
    let before = calls[event.sessionID]?.machine.droppedCandidates
    update(event.sessionID) { $0.remoteCandidates(event.candidates.map(\.candidate)) }
    guard before == 0, calls[event.sessionID]?.machine.droppedCandidates ?? 0 > 0 else { return }
    logger.warning(
      """
      call \(event.sessionID): candidates were dropped: at most \(CandidateBudget.maximumCount), \
      \(MessageLimits.candidate) bytes each and \(CandidateBudget.maximumBytes) in all are taken
      """)
  }

  func receiveOffer(_ event: DescriptionEvent) {
    let offer = NumberedOffer(sdp: event.sdp, number: event.offerNumber)
    let hadTooMany = calls[event.sessionID]?.machine.hasTooManyOffers
    let now = environment.now()
    update(event.sessionID) { $0.remoteOffer(offer, now: now) }
    guard hadTooMany == false, calls[event.sessionID]?.machine.hasTooManyOffers == true else { return }
    logger.warning(
      "call \(event.sessionID): the other side sends offers faster than they are answered; the newest alone counts")
  }

  /// Chat is for every role: it is neither sound nor picture, and controls nothing.
  func receive(_ signal: SignalEvent) {
    guard signal.type == "chat", let call = calls[signal.sessionID], call.isLive else { return }
    guard signal.userID == call.details.party.userID, signal.data.utf8.count <= 8192 else { return }
    keep(ChatMessage(sessionID: signal.sessionID, userID: signal.userID, isOutgoing: false, text: signal.data))
  }

  /// Keeps a chat message for those who ask later, and shows it to those who watch.
  func keep(_ message: ChatMessage) {
    chat.append(message)
    watchers.notify(.chat(message))
  }

  // MARK: Steps

  private func begin(_ details: CallDetails, _ machine: CallMachine, role: SessionRole? = nil) {
    let sessionID = details.sessionID
    let hub = HubActionPerformer(hub: environment.hub, watchers: watchers, call: details)
    let media = MediaActionPerformer(
      media: environment.media, mutes: mutes, watchers: watchers, logger: logger, call: details)
    let report: @Sendable (ActionResult) async -> Void = { [weak self] in await self?.take($0, sessionID) }
    calls[sessionID] = Call(
      details: details, startedAt: environment.now(), partyRole: role, machine: machine,
      hubActions: SerialActions(sessionID, logger: logger, perform: { await hub.perform($0) }, report: report),
      mediaActions: SerialActions(sessionID, logger: logger, perform: { await media.perform($0) }, report: report))
  }

  /// Takes what became of one of a call's actions.
  private func take(_ result: ActionResult, _ sessionID: SessionID) {
    if case .hubFailed(let action, let error) = result { logFailure(action, error, sessionID) }
    let now = environment.now()
    update(sessionID) { $0.take(result, now: now) }
    switch result {
    case .archiveStarted(let archiveID): calls[sessionID]?.resumeArchiveWaiters(.success(archiveID))
    case .archiveFailed: calls[sessionID]?.resumeArchiveWaiters(.failure(EngineError.archiveRefused))
    default: break
    }
  }

  private func logFailure(_ action: HubAction, _ error: HubClientError, _ sessionID: SessionID) {
    let isExpected = action.expects(error, isCallOver: calls[sessionID]?.isLive != true)
    logger.log(level: isExpected ? .debug : .warning, "call \(sessionID): \(action.name) failed: \(error)")
  }

  /// Lets an event act on a call and starts what comes of it.
  func update(_ sessionID: SessionID, _ step: (inout CallMachine) -> [CallAction]) {
    finishStep(calls.update(sessionID, step))
  }

  func carryOut(_ actions: [CallAction], sessionID: SessionID) { finishStep(calls.carryOut(actions, sessionID)) }

  private func finishStep(_ isForgotten: Bool) {
    presence.setSessions(calls.liveSessionIDs)
    advanceHunts()
    loop.wake(by: nextDeadline)
    guard isForgotten else { return }
    if calls.isEmpty { resumeEndWaiter() }
    // The hub hears of the end, and whether the device is busy, at once.
    presence.changed()
  }
}
