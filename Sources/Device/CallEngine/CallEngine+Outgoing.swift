import CallPolicy
import Logging
public import MediaCore
import MediaPlaneAPI
import Signalling

/// Calls that this device places.
extension CallEngine {
  /// Calls somebody at the hub and returns the session's id at once; what becomes of the call is told to those who
  /// watch.
  ///
  /// - Parameter media: what the call carries; what the device has, if nil.
  public func call(_ receiver: CallParty, _ media: Set<MediaKind>? = nil) async throws(EngineError) -> String {
    try checkOutgoing(to: receiver)
    guard isHubConnected, let userID = await environment.hub.userID else { throw .notConnected }
    // Others may have had their turn meanwhile.
    try checkOutgoing(to: receiver)
    let media = media ?? ownMedia
    let details = CallDetails(
      sessionID: environment.makeSessionID(), caller: CallParty(userID: userID, userTitle: settings.title),
      receiver: receiver, isAudio: media.contains(.audio), isVideo: media.contains(.video))
    begin(details)
    return details.sessionID
  }

  private func checkOutgoing(to receiver: CallParty) throws(EngineError) {
    guard !isStopped else { throw .stopped }
    guard settings.policy.outgoing.permits(receiver.userID) else { throw .notAllowed }
    let live = calls.values.filter { !$0.machine.phase.isEnded }
    guard !live.contains(where: { $0.details.party.userID == receiver.userID }) else { throw .alreadyInCall }
    guard live.count < settings.maximumSessions else { throw .tooManyCalls }
  }

  private func begin(_ details: CallDetails) {
    logger.notice("call \(details.sessionID) to \(details.party.userID)")
    let now = environment.now()
    let (machine, actions) = CallMachine.place(settings.policy.outgoing, now: now)
    calls[details.sessionID] = Call(details: details, startedAt: now, machine: machine)
    carryOut(actions, sessionID: details.sessionID)
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

  private var ownMedia: Set<MediaKind> {
    var media: Set<MediaKind> = []
    if settings.hasAudio { media.insert(.audio) }
    if settings.hasVideo { media.insert(.video) }
    return media
  }

  // MARK: Glare

  /// Of two who call each other at once the lower user id's call goes on, as the hub decides as well: this device's own
  /// call to such a caller ends, and the one that comes in is judged as if it had never been.
  func yield(to callerID: String) {
    let losers = calls.filter { _, call in
      call.machine.awaitsAnswer && call.details.receiver?.userID == callerID && callerID < call.details.caller.userID
    }
    for sessionID in losers.keys { update(sessionID) { $0.hangUp(.glare) } }
  }

  // MARK: Actions

  func offerMedia(_ settings: OutgoingSettings, _ call: CallDetails) async {
    var wanted: Set<MediaKind> = []
    if call.isAudio { wanted.insert(.audio) }
    if call.isVideo { wanted.insert(.video) }
    var publish = wanted.intersection(ownMedia)
    if !settings.publishesAudio { publish.remove(.audio) }
    if !settings.publishesVideo { publish.remove(.video) }
    let request = OfferRequest(
      sessionID: call.sessionID, publish: publish, subscribe: wanted, mayTalk: settings.mayTalk)
    do {
      let sdp = try await environment.media.offer(request)
      let now = environment.now()
      update(call.sessionID) { $0.mediaOffered(sdp, now: now) }
    } catch {
      logger.warning("call \(call.sessionID): no offer can be made: \(error)")
      update(call.sessionID) { $0.mediaOfferFailed() }
    }
  }

  func acceptMedia(_ answer: String, _ sessionID: String) async {
    do {
      try await environment.media.accept(answer: answer, sessionID: sessionID)
    } catch {
      logger.warning("call \(sessionID): the answer cannot be used: \(error)")
      update(sessionID) { $0.answerUnusable() }
    }
  }
}
