/// Who may have the device record by hand at the hub, while nobody calls: nobody, unless the policy says so.
public struct RecordingPermissions: Sendable, Hashable {
  /// Any of these.
  public var allowed: [CallerPattern]

  public init(allowed: [CallerPattern] = []) { self.allowed = allowed }

  /// Whether somebody may whom the hub has signed for. Role and groups are the hub's word alone.
  public func permits(_ userID: String, _ role: CallerRole, _ groups: [String]) -> Bool {
    !reasons(for: userID, role, groups).isEmpty
  }

  /// Those of ``allowed`` because of whom somebody may; none where ``permits(_:_:_:)`` is false.
  public func reasons(for userID: String, _ role: CallerRole, _ groups: [String]) -> [CallerPattern] {
    allowed.filter { $0.matches(userID, role, groups) == true }
  }
}
