/// Who may start manual recordings through the hub without a call, and change archives: no one, unless the policy allows it.
public struct RecordingPermissions: Sendable, Hashable {
  /// Any of these.
  public var allowed: [CallerPattern]

  /// Any of these may lock, unlock, rename and delete archives.
  public var managers: [CallerPattern]

  public init(allowed: [CallerPattern] = [], managers: [CallerPattern] = []) {
    self.allowed = allowed
    self.managers = managers
  }

  /// Whether a user with a hub-signed identity may change archives; see ``permits(_:_:_:)``.
  public func permitsChanges(_ userID: String, _ role: CallerRole, _ groups: [String]) -> Bool {
    managers.contains { $0.matches(userID, role, groups) == true }
  }

  /// Whether a user with a hub-signed identity may. Role and groups rest on the hub alone.
  public func permits(_ userID: String, _ role: CallerRole, _ groups: [String]) -> Bool {
    !reasons(for: userID, role, groups).isEmpty
  }

  /// The patterns of ``allowed`` that match the user; none where ``permits(_:_:_:)`` is false.
  public func reasons(for userID: String, _ role: CallerRole, _ groups: [String]) -> [CallerPattern] {
    allowed.filter { $0.matches(userID, role, groups) == true }
  }
}
