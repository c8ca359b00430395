import MediaCore
import Signalling

/// The hunts that run, and of each name the one that ended last.
struct CallHunts {
  /// Names that are kept: as many buttons as a configuration may have, and the command line.
  static let capacity = 33

  /// As whom the newest hunt calls.
  var userID = ""
  private var hunts: [String: CallHunt] = [:]
  /// What watchers were told last.
  private var shown: [String: HuntSnapshot] = [:]

  func hasRoom(for name: String) -> Bool { hunts[name] != nil || hunts.count < Self.capacity }

  func isRunning(_ name: String) -> Bool { hunts[name].map { !$0.isEnded } ?? false }

  subscript(name: String) -> CallHunt? {
    get { hunts[name] }
    set { hunts[name] = newValue }
  }

  /// What watchers are to be told of a hunt; nil where they know it, or the next one is being called.
  mutating func change(of name: String) -> HuntSnapshot? {
    guard let snapshot = hunts[name]?.snapshot, snapshot.state != .calling([]), shown[name] != snapshot else {
      return nil
    }
    shown[name] = snapshot
    return snapshot
  }

  /// The names of those that run.
  var running: [String] { hunts.filter { !$0.value.isEnded }.keys.sorted() }

  /// In the order of their names.
  var snapshots: [HuntSnapshot] { hunts.values.map(\.snapshot).sorted { $0.name < $1.name } }

  var nextDeadline: MonotonicInstant? { hunts.values.compactMap(\.nextDeadline).min() }
}
