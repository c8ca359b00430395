/// What is known of a client that tries a password, before it is checked.
public enum PasswordStanding: Sendable {
  /// A client that has logged in under the title before.
  case known
  /// From an address without a wrong password lately.
  case clean
  /// From an address with wrong passwords.
  case suspect
}

/// The order in which passwords are checked: few at a time, since each check is slow by intent.
///
/// No origin has more than half of the workers, so that one with many attempts waits for itself. Known clients go
/// first, in turns. Then come clean origins, one attempt of each and the newest first: of many anonymous clients that
/// come at once each has been wrong once and waits behind the next one, so a correct password waits for two checks, not
/// for all wrong ones before. The others take turns. All queues are bounded, each origin's part of them as well, and so
/// is the time in them; what does not fit is refused: of the clean ones the oldest, which has waited longest in vain.
public struct PasswordQueue<Job: Sendable>: Sendable {
  public struct Entry: Sendable {
    public var job: Job
    public var origin: String
  }

  public enum Submission: Sendable {
    /// The job is to start now.
    case start
    /// ``finish(_:now:)`` will return it; another one had to make room.
    case waits(displaced: Entry?)
  }

  private struct Waiting: Sendable {
    var job: Job
    var since: Instant
  }

  private let workers: Int
  private let workersPerOrigin: Int
  private let maximumWait: Duration
  private let cleanCapacity: Int
  private var running: [String: Int] = [:]
  private var runningCount = 0
  private var known: FairQueue<Waiting>
  /// The newest last.
  private var clean: [FairQueue<Waiting>.Entry] = []
  private var suspects: FairQueue<Waiting>

  public init(workers: Int, limits: HubLimits) {
    self.workers = workers
    workersPerOrigin = max(workers / 2, 1)
    maximumWait = limits.passwordQueueTimeout
    cleanCapacity = limits.cleanPasswordQueueLength
    known = FairQueue(capacity: limits.passwordQueueLength, perOrigin: limits.passwordQueuePerOrigin)
    suspects = known
  }

  public mutating func submit(
    _ job: Job, origin: String, standing: PasswordStanding, now: Instant
  ) throws(HubRefusal) -> Submission {
    if runningCount < workers, mayRun(origin) {
      start(origin)
      return .start
    }
    let entry = FairQueue<Waiting>.Entry(job: Waiting(job: job, since: now), origin: origin)
    switch standing {
    case .clean where !isActive(origin):
      clean.append(entry)
      return .waits(displaced: clean.count > cleanCapacity ? Self.entry(clean.removeFirst()) : nil)
    case .known: try Self.append(entry, to: &known)
    case .clean, .suspect: try Self.append(entry, to: &suspects)
    }
    return .waits(displaced: nil)
  }

  /// A job of `origin` is done; returns what is to start in its place.
  public mutating func finish(_ origin: String) -> Entry? {
    runningCount -= 1
    running[origin] = running[origin].flatMap { $0 > 1 ? $0 - 1 : nil }
    guard let next = known.popFirst(where: mayRun) ?? popClean() ?? suspects.popFirst(where: mayRun) else { return nil }
    start(next.origin)
    return Self.entry(next)
  }

  /// Takes out what has waited too long.
  public mutating func removeOverdue(now: Instant) -> [Entry] {
    let isOverdue = { [maximumWait] (waiting: Waiting) in waiting.since.duration(to: now) > maximumWait }
    let removed = clean.filter { isOverdue($0.job) }
    clean.removeAll { isOverdue($0.job) }
    return (removed + known.removeAll(where: isOverdue) + suspects.removeAll(where: isOverdue)).map(Self.entry)
  }

  private mutating func popClean() -> FairQueue<Waiting>.Entry? {
    guard let index = clean.lastIndex(where: { mayRun($0.origin) }) else { return nil }
    return clean.remove(at: index)
  }

  private func isActive(_ origin: String) -> Bool {
    running[origin] != nil || suspects.contains(origin) || clean.contains { $0.origin == origin }
  }

  private func mayRun(_ origin: String) -> Bool { running[origin, default: 0] < workersPerOrigin }

  private mutating func start(_ origin: String) {
    runningCount += 1
    running[origin, default: 0] += 1
  }

  private static func append(
    _ entry: FairQueue<Waiting>.Entry, to queue: inout FairQueue<Waiting>
  ) throws(HubRefusal) {
    guard queue.append(entry) else { throw .tooManyLogins }
  }

  private static func entry(_ entry: FairQueue<Waiting>.Entry) -> Entry {
    Entry(job: entry.job.job, origin: entry.origin)
  }
}

extension HubRefusal {
  /// Passwords that wait to be checked are too many.
  public static let tooManyLogins = HubRefusal.overloaded("too many logins at once", retryAfter: 2)
}
