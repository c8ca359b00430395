/// The order in which passwords are checked: few at a time, since each check is slow by intent.
///
/// No origin has more than half of the workers, so that one who sends many waits for itself. Known clients go first;
/// among the others, and among the known ones, origins take turns. Both queues are bounded, each origin's part of them
/// as well; what does not fit is refused.
public struct PasswordQueue<Job: Sendable>: Sendable {
  public struct Entry: Sendable {
    public var job: Job
    public var origin: String
  }

  private let workers: Int
  private let workersPerOrigin: Int
  private var running: [String: Int] = [:]
  private var runningCount = 0
  private var known: FairQueue<Job>
  private var strangers: FairQueue<Job>

  public init(workers: Int, limits: HubLimits) {
    self.workers = workers
    workersPerOrigin = max(workers / 2, 1)
    known = FairQueue(capacity: limits.passwordQueueLength, perOrigin: limits.passwordQueuePerOrigin)
    strangers = known
  }

  /// Whether the job is to start now; otherwise ``finish(_:)`` will return it.
  public mutating func submit(_ job: Job, origin: String, isKnown: Bool) throws(HubRefusal) -> Bool {
    if runningCount < workers, mayRun(origin) {
      start(origin)
      return true
    }
    let entry = Entry(job: job, origin: origin)
    let isTaken = isKnown ? known.append(entry) : strangers.append(entry)
    guard isTaken else { throw .overloaded("too many logins at once", retryAfter: 2) }
    return false
  }

  /// A job of `origin` is done; returns what is to start in its place.
  public mutating func finish(_ origin: String) -> Entry? {
    runningCount -= 1
    running[origin] = running[origin].flatMap { $0 > 1 ? $0 - 1 : nil }
    guard let next = known.popFirst(where: mayRun) ?? strangers.popFirst(where: mayRun) else { return nil }
    start(next.origin)
    return next
  }

  private func mayRun(_ origin: String) -> Bool { running[origin, default: 0] < workersPerOrigin }

  private mutating func start(_ origin: String) {
    runningCount += 1
    running[origin, default: 0] += 1
  }
}

/// A bounded queue in which origins take turns.
struct FairQueue<Job: Sendable>: Sendable {
  typealias Entry = PasswordQueue<Job>.Entry

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
