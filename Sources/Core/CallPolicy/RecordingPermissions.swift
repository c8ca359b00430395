/// Who may start manual recordings through the hub without a call: no one, unless the policy allows it.
public struct RecordingPermissions: Sendable, Hashable {
  /// Any of these.
  public var allowed: [CallerPattern]

  public init(allowed: [CallerPattern] = []) { self.allowed = allowed }

  /// Whether a user with a hub-signed identity may. Role and groups rest on the hub alone.
  public func permits(_ userID: String, _ role: CallerRole, _ groups: [String]) -> Bool {
    !reasons(for: userID, role, groups).isEmpty
  }

  /// The patterns of ``allowed`` that match the user; none where ``permits(_:_:_:)`` is false.
  public func reasons(for userID: String, _ role: CallerRole, _ groups: [String]) -> [CallerPattern] {
    allowed.filter { $0.matches(userID, role, groups) == true }
  }
}
