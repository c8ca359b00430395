/// Whom a rule is about: `user:ID`, `group:NAME` or `role:operator`. Never a title, since anybody can take one.
public enum CallerPattern: Sendable, Hashable {
  case user(String)
  case group(String)
  case role(CallerRole)

  /// Returns nil when `text` has no known prefix, no name, or an unknown role.
  public init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let name = String(text[text.index(after: colon)...])
    guard !name.isEmpty else { return nil }
    switch text[..<colon] {
    case "user": self = .user(name)
    case "group": self = .group(name)
    case "role":
      guard let role = CallerRole(rawValue: name) else { return nil }
      self = .role(role)
    default: return nil
    }
  }

  func matches(_ request: CallRequest) -> Bool {
    switch self {
    case .user(let userID): request.callerID == userID
    case .group(let name): request.callerGroups.contains(name)
    case .role(let role): request.callerRole == role
    }
  }
}

extension CallerPattern: CustomStringConvertible {
  public var description: String {
    switch self {
    case .user(let userID): "user:\(userID)"
    case .group(let name): "group:\(name)"
    case .role(let role): "role:\(role.rawValue)"
    }
  }
}
