internal import HubCore
internal import SystemSupport

/// What stands in Redis for each principal, by user, so that a renewal encodes nothing.
///
/// Encoding took two thirds of what a node spends on a renewal. When there are too many, those asked for since the last time
/// that happened stay.
final class PrincipalTexts: Sendable {
  private struct Entry {
    var principal: Principal
    var text: String
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var older: [String: Entry] = [:]
  }

  private let capacity: Int
  private let state = Mutex(State())

  /// - Parameter capacity: as many users as one node serves; about 500 bytes each.
  init(capacity: Int = 131_072) { self.capacity = capacity }

  /// The principal as a record.
  func text(of principal: Principal) -> String {
    state.withLock { state in
      let userID = principal.userID
      if let entry = state.entries[userID], entry.principal == principal { return entry.text }
      let entry = Self.known(principal, in: &state) ?? Entry(principal: principal, text: encode(principal))
      if state.entries.count >= capacity { (state.older, state.entries) = (state.entries, [:]) }
      state.entries[userID] = entry
      return entry.text
    }
  }

  private static func known(_ principal: Principal, in state: inout State) -> Entry? {
    let entry = state.older.removeValue(forKey: principal.userID)
    return entry?.principal == principal ? entry : nil
  }
}
