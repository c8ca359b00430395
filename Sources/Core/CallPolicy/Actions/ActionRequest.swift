/// Who requests an action of the device, such as opening a door, and in which circumstances.
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
  /// A client of the device's control socket.
  case local
  /// A program that asks by HTTP, with the token.
  case http
  /// Who may publish commands to the device's topics at its MQTT broker.
  case mqtt
  /// A press of the device's button of this name.
  case button(name: String)
  /// Something that the source of events of this name has noticed.
  case event(source: String)
  case party(ActionParty)
}

/// The other party of a call, as the hub authenticated it.
public struct ActionParty: Sendable, Hashable {
  public var userID: String
  /// Nil where the hub does not report it: for a user whom the device called.
  public var role: CallerRole?
  /// Nil where the hub does not report it.
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
  /// For logs: `local`, `http`, `mqtt`, `button:` or `event:` and its name, or `user:` and the id.
  public var description: String {
    switch self {
    case .local: "local"
    case .http: "http"
    case .mqtt: "mqtt"
    case .button(let name): "button:\(name)"
    case .event(let source): "event:\(source)"
    case .party(let party): "user:\(party.userID)"
    }
  }
}

/// The requesters of an action's rule: `local`, `http`, `mqtt`, a button, a source of events, or as in a call's rule.
public enum ActionRequesterPattern: Sendable, Hashable {
  case local
  case http
  case mqtt
  case button(name: String)
  case event(source: String)
  case caller(CallerPattern)

  /// Returns nil when `text` is neither `local`, `http` nor `mqtt`, nor `button:` or `event:` and a name, nor a ``CallerPattern``.
  public init?(_ text: String) {
    if text == "local" {
      self = .local
    } else if text == "http" {
      self = .http
    } else if text == "mqtt" {
      self = .mqtt
    } else if let name = Self.name(in: text, after: "button:") {
      self = .button(name: name)
    } else if let source = Self.name(in: text, after: "event:") {
      self = .event(source: source)
    } else if let pattern = CallerPattern(text) {
      self = .caller(pattern)
    } else {
      return nil
    }
  }

  private static func name(in text: String, after prefix: String) -> String? {
    text.hasPrefix(prefix) && text.utf8.count > prefix.utf8.count ? String(text.dropFirst(prefix.count)) : nil
  }

  /// Whether it is about something that enters no PIN: a button or a source of events.
  public var isWithoutKeys: Bool {
    switch self {
    case .button, .event: true
    case .local, .http, .mqtt, .caller: false
    }
  }

  /// Whether it is about other parties of calls.
  public var isCaller: Bool { if case .caller = self { true } else { false } }

  func check(_ requester: ActionRequester) -> ConditionCheck.Outcome {
    switch (self, requester) {
    case (.local, .local), (.http, .http), (.mqtt, .mqtt): .met
    case (.button(let name), .button(let pressed)): name == pressed ? .met : .notMet
    case (.event(let name), .event(let source)): name == source ? .met : .notMet
    case (.caller(let pattern), .party(let party)): Self.check(pattern, party)
    case (.local, _), (.http, _), (.mqtt, _), (.button, _), (.event, _), (.caller, _): .notMet
    }
  }

  private static func check(_ pattern: CallerPattern, _ party: ActionParty) -> ConditionCheck.Outcome {
    pattern.matches(party.userID, party.role, party.groups).map { $0 ? .met : .notMet } ?? .unknown
  }
}

extension ActionRequesterPattern: CustomStringConvertible {
  public var description: String {
    switch self {
    case .local: "local"
    case .http: "http"
    case .mqtt: "mqtt"
    case .button(let name): "button:\(name)"
    case .event(let source): "event:\(source)"
    case .caller(let pattern): pattern.description
    }
  }
}
