public import CallPolicy

/// The input of `PolicyExplain`: a call that could come in, the use of an action, a call to a user, or a manual recording.
public struct PolicyExplainParameters: VarlinkParameters {
  /// The caller's user id, `http` or `mqtt`; absent for a person at the device. All but users can use actions alone.
  public var caller: String?
  /// `operator`, `user`, `device` or `anonymous`; without it `user` for a call, unknown for an action.
  public var role: String?
  /// Unknown for an action without it.
  public var groups: [String]?
  /// What the call carries; both if absent.
  public var media: ControlCallMedia?
  /// Metres from the device; unknown if absent.
  public var distance: Double?
  /// How many calls are up; as many as there are if absent.
  public var callsUp: Int?
  /// How long ago the caller's earlier calls came in, in milliseconds.
  public var recentCalls: [Int64]?
  /// The action whose use is explained, in place of a call.
  public var action: String?
  /// Whether to explain if the device may call `caller`.
  public var isOutgoing: Bool?
  /// Whether to explain if `caller`, an operator at the hub, may have the device record.
  public var isRecording: Bool?
  /// Whether the caller is in a connected call, which matters to actions.
  public var inCall: Bool?
  /// Milliseconds since 1970; now if absent.
  public var time: Int64?

  public init(caller: String?) { self.caller = caller }
}

public struct PolicyExplainReply: Codable, Sendable {
  public var explanation: PolicyExplanation
  /// The same for people: one line a rule, then the decision.
  public var lines: [String]

  public init(explanation: PolicyExplanation, lines: [String]) {
    self.explanation = explanation
    self.lines = lines
  }
}

/// What a policy says of a call, of the use of an action or of a recording, and why: what `livesessions policy explain
/// --json` and `action explain --json` print.
public struct PolicyExplanation: Codable, Sendable, Hashable {
  public struct Rule: Codable, Sendable, Hashable {
    public var name: String
    public var isMatch: Bool
    /// Why it matches, every condition that does not hold, or what is unknown.
    public var reasons: [String]
    /// Why a rule whose conditions are unknown matches or does not.
    public var ruling: String?
  }

  /// `answer`, `reject` or `ring`; of an action `allow` or `refuse`.
  public var decision: String
  /// The decision with all that it sets, as text.
  public var text: String
  /// The rule that decides; absent when the default does.
  public var rule: String?
  /// Those that were checked, in order.
  public var rules: [Rule]
  /// The id of the user that was checked.
  public var caller: String
  /// Milliseconds since 1970; absent for now.
  public var time: Int64?
  /// How the caller's name was understood; the command line adds it.
  public var note: String?
  /// `daemon`, or the path of the policy's file; the command line adds it.
  public var source: String?
}

extension PolicyExplainParameters {
  /// Has a policy decide.
  ///
  /// - Parameters:
  ///   - callsUp: where the parameters do not say how many.
  ///   - localTimes: at ``time``.
  /// - Throws: ``DeviceControlError/invalidParameter(_:)``.
  public func explained(
    by policy: CallPolicy, callsUp: Int, localTimes: [PolicyTimeZone: LocalTime]
  ) throws(DeviceControlError) -> PolicyExplainReply {
    let role = try self.role.map { text throws(DeviceControlError) in
      guard let role = CallerRole(rawValue: text) else { throw .invalidParameter("role") }
      return role
    }
    if let action {
      let request = ActionRequest(action: action, requester: requester(role), isInCall: inCall ?? false)
      return reply(policy.actions.evaluate(request, localTimes: localTimes), "\(request.requester)")
    }
    guard let caller else { throw .invalidParameter("caller") }
    if isOutgoing == true { return PolicyExplainReply(policy.outgoing, receiver: caller) }
    if isRecording == true {
      return PolicyExplainReply(policy.recording, userID: caller, role: role ?? .operator, groups: groups ?? [])
    }
    let request = CallRequest(
      callerID: caller, callerRole: role ?? .user, callerGroups: groups ?? [], isAudio: media != .video,
      isVideo: media != .audio, distance: distance)
    let circumstances = CallCircumstances(
      callsUp: self.callsUp ?? callsUp, recentCalls: (recentCalls ?? []).map { .milliseconds($0) },
      localTimes: localTimes)
    return reply(policy.evaluate(request, in: circumstances), caller)
  }

  /// Who uses an action; no user has the id `http` or `mqtt`.
  private func requester(_ role: CallerRole?) -> ActionRequester {
    switch caller {
    case nil: .local
    case "http": .http
    case "mqtt": .mqtt
    case let userID?: .party(ActionParty(userID: userID, role: role, groups: groups))
    }
  }

  private func reply(_ evaluation: Evaluation, _ caller: String) -> PolicyExplainReply {
    let explanation = PolicyExplanation(
      decision: evaluation.decision.name, text: "\(evaluation.decision)", rule: evaluation.ruleName,
      rules: evaluation.traces.map(PolicyExplanation.Rule.init), caller: caller, time: time)
    return PolicyExplainReply(explanation: explanation, lines: evaluation.lines)
  }

  private func reply(_ evaluation: ActionEvaluation, _ caller: String) -> PolicyExplainReply {
    let explanation = PolicyExplanation(
      decision: evaluation.permittingRule == nil ? "refuse" : "allow", text: evaluation.decision,
      rule: evaluation.rule?.name, rules: evaluation.traces.map(PolicyExplanation.Rule.init), caller: caller, time: time
    )
    return PolicyExplainReply(explanation: explanation, lines: evaluation.lines)
  }
}

extension PolicyExplanation.Rule {
  fileprivate init(_ trace: Evaluation.Trace) {
    self.init(name: trace.ruleName, isMatch: trace.isMatch, reasons: trace.reasons, ruling: trace.ruling)
  }
}

extension PolicyDecision {
  fileprivate var name: String {
    switch self {
    case .answer: "answer"
    case .reject: "reject"
    case .ring: "ring"
    }
  }
}
