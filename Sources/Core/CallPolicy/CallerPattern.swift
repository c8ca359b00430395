/// The callers of a rule: `user:ID`, `group:NAME` or `role:operator`. Never a title, since anyone can choose one.
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
    matches(request.callerID, request.callerRole, request.callerGroups) == true
  }

  /// Whether it matches a user; nil where that cannot be known, since role or groups are nil.
  func matches(_ userID: String, _ role: CallerRole?, _ groups: [String]?) -> Bool? {
    switch self {
    case .user(let name): name == userID
    case .group(let name): groups.map { $0.contains(name) }
    case .role(let name): role.map { $0 == name }
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
