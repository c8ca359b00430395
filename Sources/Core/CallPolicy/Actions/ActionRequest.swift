/// Who wants an action of the device, such as an opened door, and in which circumstances.
public struct ActionRequest: Sendable, Hashable {
  public var action: String
  public var requester: ActionRequester
  /// Whether the requester has a call with the device through which media flows.
  public var isInCall: Bool

  public init(action: String, requester: ActionRequester, isInCall: Bool = false) {
    self.action = action
    self.requester = requester
    self.isInCall = isInCall
  }
}

/// Where a request comes from.
public enum ActionRequester: Sendable, Hashable {
  /// Somebody at the device's control socket.
  case local
  /// Somebody who presses the device's button of this name.
  case button(name: String)
  case party(ActionParty)
}

/// The other party of a call, as the hub authenticated it.
public struct ActionParty: Sendable, Hashable {
  public var userID: String
  /// Nil where the hub does not tell: of somebody whom the device called.
  public var role: CallerRole?
  /// Nil where the hub does not tell.
  public var groups: [String]?

  public init(userID: String, role: CallerRole? = nil, groups: [String]? = nil) {
    self.userID = userID
    self.role = role
    self.groups = groups
  }
}

extension ActionRequester {
  /// The other party of a call, if it is one.
  public var party: ActionParty? { if case .party(let party) = self { party } else { nil } }
}

extension ActionRequester: CustomStringConvertible {
  /// For logs: `local`, `button:` and its name, or `user:` and the id.
  public var description: String {
    switch self {
    case .local: "local"
    case .button(let name): "button:\(name)"
    case .party(let party): "user:\(party.userID)"
    }
  }
}

/// Whom an action's rule is about: `local`, a button, or as in a call's rule.
public enum ActionRequesterPattern: Sendable, Hashable {
  case local
  case button(name: String)
  case caller(CallerPattern)

  /// Returns nil when `text` is neither `local`, nor `button:` and a name, nor a ``CallerPattern``.
  public init?(_ text: String) {
    let buttonPrefix = "button:"
    if text == "local" {
      self = .local
    } else if text.hasPrefix(buttonPrefix), text.utf8.count > buttonPrefix.utf8.count {
      self = .button(name: String(text.dropFirst(buttonPrefix.count)))
    } else if let pattern = CallerPattern(text) {
      self = .caller(pattern)
    } else {
      return nil
    }
  }

  public var isButton: Bool { if case .button = self { true } else { false } }

  /// Whether it is about other parties of calls.
  public var isCaller: Bool { if case .caller = self { true } else { false } }

  func check(_ requester: ActionRequester) -> ConditionCheck.Outcome {
    switch (self, requester) {
    case (.local, .local): .met
    case (.button(let name), .button(let pressed)): name == pressed ? .met : .notMet
    case (.caller(let pattern), .party(let party)): Self.check(pattern, party)
    case (.local, _), (.button, _), (.caller, _): .notMet
    }
  }

  private static func check(_ pattern: CallerPattern, _ party: ActionParty) -> ConditionCheck.Outcome {
    let isMatch: Bool? =
      switch pattern {
      case .user(let userID): userID == party.userID
      case .role(let role): party.role.map { $0 == role }
      case .group(let name): party.groups.map { $0.contains(name) }
      }
    return isMatch.map { $0 ? .met : .notMet } ?? .unknown
  }
}

extension ActionRequesterPattern: CustomStringConvertible {
  public var description: String {
    switch self {
    case .local: "local"
    case .button(let name): "button:\(name)"
    case .caller(let pattern): pattern.description
    }
  }
}
