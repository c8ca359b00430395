import HubClient
import Logging
import MediaCore
import Signalling

/// Several people are called until one answers.
extension CallEngine {
  /// Begins to call the plan's users; watchers receive the outcome.
  public func hunt(_ plan: HuntPlan) async throws(EngineError) {
    try hunts.check(plan)
    guard isHubConnected, let userID = await environment.hub.userID else { throw .notConnected }
    guard !isStopped else { throw .stopped }
    // Others may have had their turn meanwhile.
    try hunts.check(plan)
    logger.notice("\(plan.name): \(plan.order.rawValue), \(plan.parties.count) to be called")
    carryOut(hunts.start(plan, as: userID, now: environment.now()))
  }

  /// Ends what this device has begun: hunts, the calls that are up, and those that it places. Where there is none of
  /// these, a call that rings is rejected.
  ///
  /// - Throws: `noSuchCall` where there is nothing to end.
  public func hangUpAll() throws(EngineError) {
    guard !isStopped else { throw .stopped }
    let chosen = calls.toHangUp
    guard !chosen.isEmpty || !hunts.areOver else { throw .noSuchCall }
    carryOut(hunts.cancel())
    for sessionID in chosen { update(sessionID) { $0.hangUp(.hangup) } }
  }

  func carryOut(_ commands: [CallHunts.Command]) {
    for command in commands {
      switch command {
      case .end(let sessionID, let reason): update(sessionID) { $0.hangUp(reason) }
      case .place(let call): place(call)
      }
    }
    for change in hunts.takeChanges() {
      logger.notice("\(change)")
      watchers.notify(.hunt(change))
    }
  }

  private func place(_ call: CallHunts.WantedCall) {
    do throws(EngineError) {
      try checkOutgoing(to: call.party)
      guard isHubConnected else { throw .notConnected }
      let sessionID = place(call.party, call.media, as: hunts.userID)
      carryOut(hunts.placed(call, as: sessionID, now: environment.now()))
      loop.wake(by: hunts.nextDeadline)
    } catch {
      logger.warning("\(call.hunt): \(call.party.userID) cannot be called: \(error.reasonCode)")
      carryOut(hunts.placingFailed(call, reason: error.reasonCode))
    }
  }
}

extension EngineError {
  /// As end reasons are written.
  fileprivate var reasonCode: String {
    switch self {
    case .notAllowed: "not-allowed"
    case .alreadyInCall: "already-in-call"
    case .tooManyCalls: "too-many-calls"
    case .notConnected: CallPlacing.hubUnreachable
    case .noSuchCall, .noSuchArchive, .archiveRefused, .invalidMessage, .huntRuns, .invalidHunt, .stopped: "\(self)"
    }
  }
}
