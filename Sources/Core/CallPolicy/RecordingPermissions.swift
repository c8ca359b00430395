/// Who may have the device record by hand at the hub, while nobody calls: nobody, unless the policy says so.
public struct RecordingPermissions: Sendable, Hashable {
  /// Any of these.
  public var allowed: [CallerPattern]

  public init(allowed: [CallerPattern] = []) { self.allowed = allowed }

  /// - Parameters: what the hub says of somebody, and has signed.
  public func permits(_ userID: String, _ role: CallerRole, _ groups: [String]) -> Bool {
    allowed.contains { pattern in
      switch pattern {
      case .user(let name): name == userID
      case .group(let name): groups.contains(name)
      case .role(let name): name == role
      }
    }
  }
}
