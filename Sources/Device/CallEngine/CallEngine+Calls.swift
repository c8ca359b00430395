import CallPolicy
import HubClient
import Logging
public import MediaCore
public import Signalling
internal import JournalLogging

/// How calls begin and continue.
extension CallEngine {
  /// Calls that are being turned away at the same time; more are left for the hub to end unanswered.
  private static let maximumRefusals = 16

  // MARK: Incoming calls

  func receive(_ event: IncomingCallEvent) {
    // The media plane knows calls and previews by their ids: none is two things.
    guard !isStopped, calls[event.sessionID] == nil, !previews.contains(event.sessionID) else { return }
    guard calls.count < settings.maximumSessions + Self.maximumRefusals else {
      logger.warning("too many calls at once; one was left unanswered")
      return
    }
    let role = parties.role(of: event.callerID, in: event.sessionID, by: event.callerToken, environment)
    if role != nil {
      // The call that comes in is judged as if this device's own had never been.
      for sessionID in calls.losers(against: event.callerID) { update(sessionID) { $0.hangUp(.glare) } }
    }
    let now = environment.now()
    let (decision, ruleName) = admission.decide(
      event, role, among: calls,
      .init(settings: settings, localTimes: environment.localTimes(settings.policy), now: now))
    let rule = ruleName.map { "rule \"\($0)\"" } ?? "no rule"
    logger.notice("call \(session: event.sessionID) of \(event.callerID): \(rule), \(decision)")
    let (machine, actions) = CallMachine.start(decision, ruleName: ruleName, now: now)
    begin(CallDetails(event, role, ownMedia: settings.ownMedia), machine, role: role)
    calls[event.sessionID].map { watchers.notify(.incoming($0.snapshot)) }
    carryOut(actions, sessionID: event.sessionID)
  }

  // MARK: Outgoing calls

  /// Calls a user at the hub and returns the session's id at once; watchers receive the outcome.
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
    logger.notice("call \(session: details.sessionID) to \(details.party.userID)")
    let outgoing = settings.policy.outgoing
    begin(details, CallMachine(CallTerms(outgoing), now: environment.now()))
    carryOut([.media(.offer(outgoing))], sessionID: details.sessionID)
    return details.sessionID
  }

  func checkOutgoing(to receiver: CallParty) throws(EngineError) {
    guard !isStopped else { throw .stopped }
    try CallAdmission.checkOutgoing(to: receiver, among: calls, settings)
  }

  /// The other side's answer, to the call or to an offer within it; the first one says who answers.
  func receive(_ answer: DescriptionEvent) {
    guard let call = calls[answer.sessionID] else { return }
    if call.machine.phase.awaitsAnswer {
      let role = parties.role(of: call.details.party.userID, in: answer.sessionID, by: answer.token, environment)
      calls[answer.sessionID]?.partyRole = role
      calls[answer.sessionID]?.details.note(role: answer.receiverRole, groups: answer.receiverGroups)
      // What a subscriber would send is offered a place already, so the call cannot continue.
      let refusal: RejectReason? = role == nil ? .notVerified : role == .subscriber ? .notAllowed : nil
      if let refusal { return update(answer.sessionID) { $0.answererRefused(refusal) } }
    }
    let now = environment.now()
    update(answer.sessionID) { $0.remoteAnswer(answer.sdp, now: now) }
  }

  // MARK: Signals

  /// Chat is for every role: it is neither audio nor video, and controls nothing.
  func receive(_ signal: SignalEvent) {
    if signal.type == ActionSignal.command {
      actionRequests?.take(signal, of: calls[signal.sessionID]?.actionParty)
      return
    }
    if let request = PreviewRequest(signal) {
      previews.receive(request, of: signal, &calls, now: environment.now()) { [weak self] in
        await self?.take($0, ofPreview: $1)
      }
      return loop.wake(by: nextDeadline)
    }
    guard let call = calls[signal.sessionID], call.isLive, let message = call.chatMessage(signal) else { return }
    watchers.notify(.chat(message))
  }

  // MARK: Steps

  private func begin(_ details: CallDetails, _ machine: CallMachine, role: SessionRole? = nil) {
    let sessionID = details.sessionID
    calls.begin(details, machine, role, environment) { [weak self] in await self?.take($0, sessionID) }
  }

  /// Takes the result of one of a call's actions.
  private func take(_ result: ActionResult, _ sessionID: SessionID) {
    if case .hubFailed(let action, let error) = result { calls.logFailure(of: action, error, sessionID) }
    update(sessionID, result.step(now: environment.now()))
    switch result {
    case .placed(let servers): calls[sessionID]?.details.iceServers = servers
    case .controlled(let control, refusal: nil):
      if let camera = control.chosenCamera { calls[sessionID]?.chosenCamera = camera }
    case .archiveStarted(let archiveID):
      // It may have failed before this was known.
      let isRunning = calls[sessionID]?.machine.archive.runningID == archiveID
      let outcome: Result<ArchiveID, any Error> = isRunning ? .success(archiveID) : .failure(EngineError.archiveRefused)
      calls[sessionID]?.archiveWaiters.resume(outcome)
    case .archiveFailed: calls[sessionID]?.archiveWaiters.resume(.failure(EngineError.archiveRefused))
    case .hubFailed, .answered, .offered, .answerUnusable, .renegotiated, .archiveStopped,
      .controlled(_, refusal: .some), .idle:
      break
    }
  }

  private func take(_ result: ActionResult, ofPreview id: SessionID) {
    previews.take(result, of: id, &calls)
    loop.wake(by: nextDeadline)
  }

  /// Applies an event to a call and starts the resulting actions.
  func update(_ sessionID: SessionID, _ step: (inout CallMachine) -> [CallAction]) {
    finishStep(calls.update(sessionID, step))
  }

  func carryOut(_ actions: [CallAction], sessionID: SessionID) { finishStep(calls.carryOut(actions, sessionID)) }

  private func finishStep(_ isForgotten: Bool) {
    presence.setSessions(calls.liveSessionIDs)
    previews.endFinished(&calls)
    let changes = calls.takeChanges()
    if !changes.isEmpty { carryOut(hunts.take(changes)) }
    loop.wake(by: nextDeadline)
    guard isForgotten else { return }
    if calls.isEmpty { noCalls.continuation.yield() }
    // The hub is notified of the end, and whether the device is busy, at once.
    presence.changed()
  }
}
