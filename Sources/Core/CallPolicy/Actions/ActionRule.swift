/// One rule about actions: it decides when all its conditions hold.
public struct ActionRule: Sendable, Hashable {
  /// Where a PIN is read at each use.
  public enum PINSource: Sendable, Hashable {
    case file(path: String)
    /// A credential of systemd.
    case credential(name: String)
  }

  /// Unique within a policy.
  public var name: String
  public var actions: Set<String>
  /// Nil matches any requester.
  public var requesters: [ActionRequesterPattern]?
  /// Nil matches at any time.
  public var hours: [WeeklyHours]?
  /// Whether only a requester in a connected call matches.
  public var needsCall = false
  /// Whether the rule allows; else it refuses, and checks neither limit nor PIN.
  public var allows = true
  /// The limit for all requesters together.
  public var limit: UseLimit?
  public var pin: PINSource?

  public init(name: String, actions: Set<String>) {
    self.name = name
    self.actions = actions
  }

  func check(_ request: ActionRequest, _ localTimes: [PolicyTimeZone: LocalTime]) -> RuleCheck {
    var checks = [checkAction(request)]
    if let requesters { checks.append(Self.checkRequester(requesters, request.requester)) }
    if let hours { checks.append(PolicyCondition.checkHours(hours, localTimes)) }
    if needsCall {
      checks.append(ConditionCheck(request.isInCall, "it is in \(request.isInCall ? "a" : "no connected") call"))
    }
    return RuleCheck(checks)
  }

  private func checkAction(_ request: ActionRequest) -> ConditionCheck {
    let isMatch = actions.contains(request.action)
    return ConditionCheck(isMatch, isMatch ? "it is about \(request.action)" : "it is not about \(request.action)")
  }

  private static func checkRequester(
    _ patterns: [ActionRequesterPattern], _ requester: ActionRequester
  ) -> ConditionCheck {
    let outcomes = patterns.map { $0.check(requester) }
    if let index = outcomes.firstIndex(of: .met) { return ConditionCheck(true, "the caller is \(patterns[index])") }
    let names = patterns.map { $0.description }.joined(separator: " or ")
    if outcomes.contains(.unknown) {
      return ConditionCheck(unknown: "whether \(requester) is \(names) is not reported by the hub")
    }
    return ConditionCheck(false, "\(requester) is not \(names)")
  }
}
