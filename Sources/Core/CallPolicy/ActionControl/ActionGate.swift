public import MediaCore

/// Why an action is not done.
public enum ActionRefusal: Error, Sendable, Hashable {
  /// The device has no action of this name.
  case unknownAction
  /// The policy does not let the requester.
  case notAllowed
  /// The rule's limit is reached for now.
  case limit(wait: TimeSpan)
  case pinNeeded
  case wrongPIN
  /// Too many wrong PINs.
  case locked(wait: TimeSpan)
  /// The rule's PIN cannot be read, so no entry can be right.
  case pinUnreadable
  /// It is being done already, or as much as can be done at once.
  case busy
  /// It was allowed and could not be done.
  case failed(String)
}

extension ActionRefusal: CustomStringConvertible {
  /// As a sentence for people.
  public var description: String {
    switch self {
    case .unknownAction: "the device has no such action"
    case .notAllowed: "the policy does not allow it"
    case .limit(let wait): "it was used as often as the policy allows; again in \(Self.seconds(wait)) s"
    case .pinNeeded: "the PIN is needed"
    case .wrongPIN: "the PIN is wrong"
    case .locked(let wait): "too many wrong PINs; again in \(Self.seconds(wait)) s"
    case .pinUnreadable: "the PIN's file cannot be read"
    case .busy: "it is being done already"
    case .failed(let text): "it failed: \(text)"
    }
  }

  /// The reason code in messages.
  public var reasonCode: String {
    switch self {
    case .unknownAction: "unknown-action"
    case .notAllowed: "not-allowed"
    case .limit: "rate-limited"
    case .pinNeeded: "pin-needed"
    case .wrongPIN: "wrong-pin"
    case .locked: "locked"
    case .pinUnreadable: "not-possible"
    case .busy: "busy"
    case .failed: "failed"
    }
  }

  /// In how many seconds it may be tried again, where that is known.
  public var waitSeconds: Int? {
    switch self {
    case .limit(let wait), .locked(let wait): Int(clamping: Self.seconds(wait))
    case .unknownAction, .notAllowed, .pinNeeded, .wrongPIN, .pinUnreadable, .busy, .failed: nil
    }
  }

  private static func seconds(_ wait: TimeSpan) -> Int64 { (wait + .milliseconds(999)).milliseconds / 1_000 }
}

/// Lets the policy, the rules' limits and their PINs decide about each use of an action. Does nothing itself.
public struct ActionGate: Sendable {
  private var limits = UseLimits()
  private var throttle = PINThrottle()

  public init() {}

  /// Judges one use; one that is allowed counts for its rule's limit from then on.
  ///
  /// - Parameters:
  ///   - requester: of the evaluated request.
  ///   - pin: what was entered, if anything.
  ///   - expected: reads the rule's PIN; nil when that cannot be done. Called only where it matters.
  /// - Throws: why nothing is to be done.
  public mutating func admit(
    _ evaluation: ActionEvaluation, by requester: ActionRequester, pin: String?, now: MonotonicInstant,
    expected: (ActionRule.PINSource) -> String?
  ) throws(ActionRefusal) {
    guard let rule = evaluation.permittingRule else { throw .notAllowed }
    if let limit = rule.limit, let wait = limits.wait(rule.name, limit, now: now) { throw .limit(wait: wait) }
    if let source = rule.pin { try check(pin, of: requester, rule, now: now) { expected(source) } }
    if let limit = rule.limit { limits.note(rule.name, limit, now: now) }
  }

  private mutating func check(
    _ pin: String?, of requester: ActionRequester, _ rule: ActionRule, now: MonotonicInstant, _ expected: () -> String?
  ) throws(ActionRefusal) {
    if let wait = throttle.wait(requester, rule.name, now: now) { throw .locked(wait: wait) }
    guard let pin, !pin.isEmpty else { throw .pinNeeded }
    guard let expected = expected() else { throw .pinUnreadable }
    guard pin.utf8.count <= 64, isSamePIN(pin, expected) else {
      throttle.failed(requester, rule.name, now: now)
      throw .wrongPIN
    }
    throttle.succeeded(requester, rule.name)
  }
}
