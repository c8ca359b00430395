/// A bounded queue in which origins take turns.
struct FairQueue<Job: Sendable>: Sendable {
  struct Entry: Sendable {
    var job: Job
    var origin: String
  }

  private let capacity: Int
  private let perOrigin: Int
  private var count = 0
  /// Origins with jobs, the next one's first.
  private var turns: [String] = []
  private var entries: [String: [Entry]] = [:]

  init(capacity: Int, perOrigin: Int) {
    self.capacity = capacity
    self.perOrigin = perOrigin
  }

  var isEmpty: Bool { count == 0 }

  func contains(_ origin: String) -> Bool { entries[origin] != nil }

  /// Whether there was room.
  mutating func append(_ entry: Entry) -> Bool {
    let waiting = entries[entry.origin]?.count ?? 0
    guard count < capacity, waiting < perOrigin else { return false }
    if waiting == 0 { turns.append(entry.origin) }
    entries[entry.origin, default: []].append(entry)
    count += 1
    return true
  }

  /// The oldest entry of the first origin that may have its turn.
  mutating func popFirst(where mayRun: (String) -> Bool) -> Entry? {
    guard let turn = turns.firstIndex(where: mayRun) else { return nil }
    let origin = turns.remove(at: turn)
    guard let entry = entries[origin]?.removeFirst() else { return nil }
    count -= 1
    if entries[origin]?.isEmpty ?? true { entries[origin] = nil } else { turns.append(origin) }
    return entry
  }
}

extension FairQueue {
  /// Returns what was removed.
  mutating func removeAll(where isOver: (Job) -> Bool) -> [Entry] {
    let all = turns.flatMap { entries[$0] ?? [] }
    let removed = all.filter { isOver($0.job) }
    guard !removed.isEmpty else { return [] }
    entries = Dictionary(grouping: all.filter { !isOver($0.job) }, by: \.origin)
    turns.removeAll { entries[$0] == nil }
    count -= removed.count
    return removed
  }
}

extension FairQueue where Job: Equatable {
  /// Does nothing when the job is not there.
  mutating func remove(_ job: Job, of origin: String) {
    guard let index = entries[origin]?.firstIndex(where: { $0.job == job }) else { return }
    entries[origin]?.remove(at: index)
    count -= 1
    guard entries[origin]?.isEmpty == true else { return }
    entries[origin] = nil
    turns.removeAll { $0 == origin }
  }
}
