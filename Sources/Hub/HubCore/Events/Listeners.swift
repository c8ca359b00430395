/// The recipients of presence: people with an open event stream, by group. Devices do not watch each other.
struct Listeners {
  private var userIDsByGroup: [String: Set<String>] = [:]

  mutating func insert(_ principal: Principal) {
    guard principal.role != .device else { return }
    for group in principal.groups { userIDsByGroup[group, default: []].insert(principal.userID) }
  }

  mutating func remove(_ principal: Principal) {
    for group in principal.groups {
      userIDsByGroup[group]?.remove(principal.userID)
      if userIDsByGroup[group]?.isEmpty == true { userIDsByGroup[group] = nil }
    }
  }

  /// Those who share a group with `principal`, without itself; nil when they are more than `limit`.
  func userIDs(of principal: Principal, limit: Int) -> Set<String>? {
    var found: Set<String> = []
    for group in principal.groups {
      guard let members = userIDsByGroup[group] else { continue }
      guard members.count <= limit else { return nil }
      found.formUnion(members)
    }
    found.remove(principal.userID)
    return found.count <= limit ? found : nil
  }
}
