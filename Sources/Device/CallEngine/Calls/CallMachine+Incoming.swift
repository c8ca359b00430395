import CallPolicy
import MediaCore
import Signalling

/// How a call that comes in is answered or turned away.
extension CallMachine {
  /// A call that has just been decided about, and what to do first.
  static func start(
    _ decision: PolicyDecision, ruleName: String?, now: MonotonicInstant
  ) -> (CallMachine, [CallAction]) {
    var machine = CallMachine(IncomingTerms(decision), ruleName: ruleName)
    let actions = machine.begin(decision, now: now)
    return (machine, actions)
  }

  private mutating func begin(_ decision: PolicyDecision, now: MonotonicInstant) -> [CallAction] {
    switch decision {
    case .reject(let reason):
      return reject(reason)
    case .ring(let ring):
      enter(.ringing, until: now + TimeSpan(ring.timeout))
      return [.send(.ringing)]
    case .answer(let settings) where settings.delay > .zero:
      enter(.delaying, until: now + TimeSpan(settings.delay))
      return [.send(.ringing)]
    case .answer:
      return [.send(.ringing)] + answer(now: now)
    }
  }

  /// The policy's delay or timeout is over.
  mutating func ringingExpired(now: MonotonicInstant) -> [CallAction] {
    if case .reject(let reason) = incoming?.ring?.then { return reject(reason) }
    return answer(now: now)
  }

  // MARK: Requests from the device

  /// Answers a call that rings.
  mutating func answerLocally(now: MonotonicInstant) -> [CallAction] {
    guard phase == .ringing || phase == .delaying else { return [] }
    return answer(now: now)
  }

  /// Rejects a call that rings.
  mutating func rejectLocally(_ reason: RejectReason) -> [CallAction] {
    guard phase == .ringing || phase == .delaying else { return [] }
    return reject(reason)
  }

  // MARK: Hub and media plane

  /// The end reason, and the hub's reason code, for a call that another client of this account has answered.
  static let answeredElsewhere = EndReason.answeredElsewhere.rawValue

  /// The hub did not take the answer to the call, since another client of this account has answered, or for a fault.
  ///
  /// (One within the call may be refused because another offer has taken its place; the call continues without it.)
  mutating func answerRefused(isAnsweredElsewhere: Bool) -> [CallAction] {
    guard phase == .connecting else { return [] }
    return isAnsweredElsewhere ? remoteEnded(Self.answeredElsewhere) : end(EndReason.error.rawValue)
  }

  /// The media plane answered the first offer.
  mutating func mediaAnswered(_ sdp: String) -> [CallAction] {
    guard phase == .answering else { return [] }
    advance(to: .connecting)
    return [.send(.answer(SessionDescription(sdp: sdp, offerNumber: 0)))]
  }

  /// The media plane cannot answer the first offer.
  mutating func mediaRefused() -> [CallAction] {
    guard phase == .answering else { return [] }
    return [.media(.hangUp)] + reject(.notAcceptable)
  }

  // MARK: Steps

  private mutating func answer(now: MonotonicInstant) -> [CallAction] {
    enter(.answering, until: now + CallTimes.setUp)
    return [.media(.answer(incoming?.answer ?? AnswerSettings()))] + candidates.release().map(CallAction.media)
  }

  mutating func reject(_ reason: RejectReason) -> [CallAction] {
    finish(reason.rawValue)
    return [.send(.reject(SessionEnding(reason: reason.rawValue)))]
  }
}
