import CallPolicy
import MediaCore
import Signalling

/// Decides whether calls may begin: first how many are up, then the policy.
struct CallAdmission: Sendable {
  /// What a call is judged by.
  struct Circumstances {
    var settings: EngineSettings
    var localTimes: [PolicyTimeZone: LocalTime]
    var now: MonotonicInstant
  }

  private var history = CallHistory()

  /// Judges a call that comes in, and notes it for those that follow.
  ///
  /// - Parameters:
  ///   - role: what the hub's signature gives to the caller; nil if there is none to be believed.
  ///   - calls: all calls, that one not included.
  mutating func decide(
    _ event: IncomingCallEvent, _ role: SessionRole?, among calls: LiveCalls, _ circumstances: Circumstances
  ) -> (PolicyDecision, ruleName: String?) {
    defer {
      history.note(
        callerID: event.callerID, now: circumstances.now, memory: circumstances.settings.policy.longestMemory)
    }
    guard let role else { return (.reject(.notVerified), nil) }
    let count = calls.liveCount
    let ofCaller = calls.liveCount(of: event.callerID)
    if let reason = circumstances.settings.capacity.refusal(callsUp: count, ofCaller: ofCaller, role: role) {
      return (.reject(reason), nil)
    }
    let evaluation = evaluate(event, role, callsUp: count, circumstances)
    return (evaluation.decision, evaluation.ruleName)
  }

  private func evaluate(
    _ event: IncomingCallEvent, _ role: SessionRole, callsUp: Int, _ circumstances: Circumstances
  ) -> Evaluation {
    let details = CallDetails(event, role, ownMedia: circumstances.settings.ownMedia)
    let request = CallRequest(
      callerID: event.callerID, callerRole: CallerRole(hubName: event.callerRole), callerGroups: event.callerGroups,
      isAudio: details.isAudio, isVideo: details.isVideo, distance: event.distance)
    let recent = history.ages(callerID: event.callerID, now: circumstances.now)
    return circumstances.settings.policy.evaluate(
      request,
      in: CallCircumstances(callsUp: callsUp, recentCalls: recent, localTimes: circumstances.localTimes))
  }

  /// Whether the device may place a call now.
  static func checkOutgoing(
    to receiver: CallParty, among calls: LiveCalls, _ settings: EngineSettings
  ) throws(EngineError) {
    guard settings.policy.outgoing.permits(receiver.userID) else { throw .notAllowed }
    guard !calls.hasLiveCall(with: receiver.userID) else { throw .alreadyInCall }
    guard calls.liveCount < settings.maximumSessions else { throw .tooManyCalls }
  }
}
