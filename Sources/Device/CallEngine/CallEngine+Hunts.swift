import HubClient
import Logging
import MediaCore
import Signalling

/// Several people are called until one answers.
extension CallEngine {
  /// Begins to call the plan's people; what becomes of it is told to those who watch.
  public func hunt(_ plan: HuntPlan) async throws(EngineError) {
    try checkHunt(plan)
    guard isHubConnected, let userID = await environment.hub.userID else { throw .notConnected }
    // Others may have had their turn meanwhile.
    try checkHunt(plan)
    let (hunt, actions) = CallHunt.start(plan, now: environment.now())
    hunts[plan.name] = hunt
    logger.notice("\(plan.name): \(plan.order.rawValue), \(plan.parties.count) to be called")
    carryOut(actions, ofHunt: plan.name, as: userID)
  }

  private func checkHunt(_ plan: HuntPlan) throws(EngineError) {
    guard !isStopped else { throw .stopped }
    guard plan.isValid else { throw .invalidHunt }
    guard !hunts.isRunning(plan.name), hunts.hasRoom(for: plan.name) else { throw .huntRuns }
  }

  /// Ends what this device has begun: hunts, the calls that are up, and those that it places. Where there is none of
  /// these, a call that rings is rejected.
  ///
  /// - Throws: `noSuchCall` where there is nothing to end.
  public func hangUpAll() throws(EngineError) {
    guard !isStopped else { throw .stopped }
    let live = calls.snapshots
    let begun = live.filter { $0.receiver != nil || $0.phase.isAnswered }
    let chosen = begun.isEmpty ? live : begun
    guard !chosen.isEmpty || !hunts.running.isEmpty else { throw .noSuchCall }
    for name in hunts.running { updateHunt(name) { $0.cancel() } }
    for call in chosen { update(call.sessionID) { $0.hangUp(.hangup) } }
  }

  /// Answers the call that has rung longest.
  ///
  /// - Throws: `noSuchCall` where none rings.
  public func answerRinging() throws(EngineError) {
    let ringing = calls.snapshots.filter { $0.phase == .ringing || $0.phase == .delaying }
    guard let first = ringing.min(by: { $0.startedAt < $1.startedAt }) else { throw .noSuchCall }
    try answer(first.sessionID)
  }

  // MARK: Steps

  /// Tells the hunts what has become of calls since they were told last.
  func advanceHunts() {
    for (sessionID, phase) in calls.takeChanges() {
      for name in hunts.running { updateHunt(name) { $0.take(phase, of: sessionID) } }
    }
  }

  func tickHunts(now: MonotonicInstant) {
    for name in hunts.running { updateHunt(name) { $0.tick(now: now) } }
  }

  private func updateHunt(_ name: String, _ step: (inout CallHunt) -> [CallHunt.Action]) {
    guard var hunt = hunts[name] else { return }
    let actions = step(&hunt)
    hunts[name] = hunt
    carryOut(actions, ofHunt: name, as: hunts.userID)
    guard let change = hunts.change(of: name) else { return }
    logger.notice("\(change)")
    watchers.notify(.hunt(change))
  }

  private func carryOut(_ actions: [CallHunt.Action], ofHunt name: String, as userID: String) {
    hunts.userID = userID
    for action in actions {
      switch action {
      case .end(let sessionID, let reason): update(sessionID) { $0.hangUp(reason) }
      case .place(let party): place(party, ofHunt: name, as: userID)
      }
    }
  }

  private func place(_ party: CallParty, ofHunt name: String, as userID: String) {
    do {
      try checkOutgoing(to: party)
      guard isHubConnected else { throw EngineError.notConnected }
      let sessionID = place(party, hunts[name]?.plan.media, as: userID)
      let now = environment.now()
      updateHunt(name) { $0.placed(party, as: sessionID, now: now) }
      loop.wake(by: hunts.nextDeadline)
    } catch {
      let reason = (error as? EngineError)?.word ?? "error"
      logger.warning("\(name): \(party.userID) cannot be called: \(reason)")
      updateHunt(name) { $0.placingFailed(party, reason: reason) }
    }
  }
}

extension CallHunt {
  fileprivate mutating func take(_ phase: CallPhase, of sessionID: SessionID) -> [Action] {
    switch phase {
    case .connecting, .connected: answered(sessionID)
    case .ended(let reason): ended(sessionID, reason: reason)
    case .delaying, .ringing, .answering, .offering, .calling, .alerting: []
    }
  }
}

extension EngineError {
  /// As end reasons are written.
  fileprivate var word: String {
    switch self {
    case .notAllowed: "not-allowed"
    case .alreadyInCall: "already-in-call"
    case .tooManyCalls: "too-many-calls"
    case .notConnected: CallMachine.hubUnreachable
    default: "\(self)"
    }
  }
}

extension HuntSnapshot: CustomStringConvertible {
  /// For the log and for displays.
  public var description: String { "\(name): \(text)" }

  /// What it does, or what became of it, in words.
  public var text: String {
    switch state {
    case .calling(let parties): "calling \(parties.map(\.userID).joined(separator: ", "))"
    case .answered(let party, _): "answered by \(party.userID)"
    case .ended(.completed): "over"
    case .ended(.cancelled): "given up"
    case .ended(.nobody(let misses)):
      "nobody answered (\(misses.map { "\($0.userID): \($0.reason)" }.joined(separator: ", ")))"
    }
  }
}
