import CallPolicy
import HubClient
import Logging
import MediaCore
import Signalling

/// How calls begin and go on.
extension CallEngine {
  /// Calls that are being turned away at the same time; more are left for the hub to end unanswered.
  private static let maximumRefusals = 16
  static let chatCapacity = 100

  /// Takes one event of the hub; never waits for hub or media.
  func handle(_ event: HubEvent) async {
    switch event {
    case .hello(let hello): streamOpened(hello)
    case .streamClosed: streamClosed()
    case .incomingCall(let call): receive(call)
    case .callEnded(let end), .callRejected(let end): update(end.sessionID) { $0.remoteEnded(end.reason) }
    case .callCandidates(let event):
      update(event.sessionID) { $0.remoteCandidates(event.candidates.map(\.candidate)) }
    case .callOffer(let offer): update(offer.sessionID) { $0.remoteOffer(offer.sdp) }
    case .callRinging(let event): update(event.sessionID) { $0.rings() }
    case .callAnswered(let answer):
      let now = environment.now()
      update(answer.sessionID) { $0.remoteAnswer(answer.sdp, now: now) }
    case .signal(let signal): await receive(signal)
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
    case .ended(let sessionID, let reason):
      update(sessionID) { $0.mediaEnded(reason) }
    case .archiveStopped(let archiveID, let sessionID, let status):
      logger.warning("archive \(archiveID) stopped by itself: \(status)")
      if deviceArchives.contains(archiveID) {
        forgetDeviceArchive(archiveID, status: status)
      } else {
        update(sessionID) { $0.archiveStopped(archiveID, status: status) }
      }
    case .cameraSwapped(let name):
      watchers.tell(.cameraSwapped(name: name))
    case .sourceStatus(let text):
      logger.notice("\(text)")
      watchers.tell(.source(text: text))
    }
  }

  // MARK: Incoming calls

  private func receive(_ event: IncomingCallEvent) {
    guard !isStopped, calls[event.sessionID] == nil else { return }
    guard calls.count < settings.maximumSessions + Self.maximumRefusals else {
      logger.warning("too many calls at once; one was left unanswered")
      return
    }
    yield(to: event.callerID)
    let now = environment.now()
    let (decision, ruleName) = decide(event, now: now)
    history.note(callerID: event.callerID, now: now, memory: settings.policy.longestMemory)
    let rule = ruleName.map { "rule \"\($0)\"" } ?? "no rule"
    logger.notice("call \(event.sessionID) of \(event.callerID): \(rule), \(decision)")
    let (machine, actions) = CallMachine.start(decision, ruleName: ruleName, now: now)
    let call = Call(details: CallDetails(event), startedAt: now, machine: machine)
    calls[event.sessionID] = call
    watchers.tell(.incoming(snapshot(call)))
    carryOut(actions, sessionID: event.sessionID)
  }

  private func decide(_ event: IncomingCallEvent, now: MonotonicInstant) -> (PolicyDecision, ruleName: String?) {
    let callsUp = calls.values.count { !$0.machine.phase.isEnded }
    guard callsUp < settings.maximumSessions else { return (.reject(.busy), nil) }
    let request = CallRequest(
      callerID: event.callerID, callerRole: CallerRole(hubName: event.callerRole), callerGroups: event.callerGroups,
      isAudio: event.isAudio, isVideo: event.isVideo, distance: event.distance)
    let circumstances = CallCircumstances(
      callsUp: callsUp, recentCalls: history.ages(callerID: event.callerID, now: now),
      localTimes: environment.localTimes(settings.policy))
    let evaluation = settings.policy.evaluate(request, in: circumstances)
    return (evaluation.decision, evaluation.ruleName)
  }

  // MARK: Signals and controls

  private func receive(_ signal: SignalEvent) async {
    guard signal.type == "chat", let call = calls[signal.sessionID], !call.machine.phase.isEnded else { return }
    guard signal.userID != (await environment.hub.userID), signal.data.utf8.count <= 8192 else { return }
    keep(ChatMessage(sessionID: signal.sessionID, userID: signal.userID, isOutgoing: false, text: signal.data))
  }

  /// Keeps a chat message for those who ask later, and shows it to those who watch.
  func keep(_ message: ChatMessage) {
    if chat.count == Self.chatCapacity { chat.removeFirst() }
    chat.append(message)
    watchers.tell(.chat(message))
  }

  private func receive(_ event: ControlEvent) {
    guard let call = calls[event.sessionID], !call.machine.phase.isEnded else { return }
    let control = CallControl(action: event.action, target: event.target)
    guard event.role == .moderator else {
      logger.notice("\(event.userID) may not \(event.action) in call \(event.sessionID)")
      return carryOut([.reportControl(control, refusal: "not-allowed")], sessionID: event.sessionID)
    }
    guard let actions = moderate(control, sessionID: event.sessionID) else {
      return carryOut([.reportControl(control, refusal: "unknown-action")], sessionID: event.sessionID)
    }
    logger.info("\(event.userID) asks to \(event.action) in call \(event.sessionID)")
    carryOut(actions, sessionID: event.sessionID)
  }

  /// What a moderator's control comes to; `nil` if it is not known.
  private func moderate(_ control: CallControl, sessionID: String) -> [CallAction]? {
    switch control.action {
    case "mute", "unmute":
      guard let target = control.target.flatMap({ MuteTarget(rawValue: $0) }) else { return nil }
      return [.mute(target, control.action == "mute", control)]
    case "swap-camera":
      return [.swapCamera(control)]
    case "start-archive":
      return archiveActions(control, sessionID: sessionID) { $0.startArchive() }
    case "stop-archive":
      return archiveActions(control, sessionID: sessionID) { $0.stopArchive() }
    default:
      return nil
    }
  }

  private func archiveActions(
    _ control: CallControl, sessionID: String, _ step: (inout CallMachine) -> [CallAction]
  ) -> [CallAction] {
    guard var machine = calls[sessionID]?.machine else { return [] }
    let actions = step(&machine)
    calls[sessionID]?.machine = machine
    return actions + [.reportControl(control, refusal: actions.isEmpty ? "not-possible" : nil)]
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
