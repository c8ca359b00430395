/// A queue for in-order delivery to a receiver that may be offline: bounded, with back-off.
///
/// Takes the time and the outcome of each attempt; says what to try and when. Does no I/O itself.
public struct DeliveryQueue<Item> {
  /// The next step.
  public enum Step {
    /// Try this one, and report the outcome.
    case attempt(Item)
    /// Nothing before this moment.
    case rest(until: MonotonicInstant)
  }

  private let capacity: Int
  private let maxAttempts: Int
  private var backoff: Backoff
  private var waiting: [Item] = []
  /// Whether the first is being tried.
  private var isTrying = false
  private var attempts = 0
  private var due: MonotonicInstant?

  /// - Parameters:
  ///   - capacity: how many may wait, at least one.
  ///   - maxAttempts: after this many failures an element is given up.
  ///   - backoff: pauses after failures, with full jitter.
  public init(capacity: Int, maxAttempts: Int = .max, backoff: Backoff) {
    self.capacity = max(capacity, 1)
    self.maxAttempts = maxAttempts
    self.backoff = backoff
  }

  /// How many wait, the one that is being tried among them.
  public var count: Int { waiting.count }

  /// Adds the newest; returns whether the oldest that is not being tried had to go for it.
  public mutating func add(_ item: Item) -> Bool {
    let isFull = waiting.count >= capacity
    // With room for one there is only the one being tried: the newest has to go.
    if isFull, isTrying, capacity == 1 { return true }
    if isFull { waiting.remove(at: isTrying ? 1 : 0) }
    if isFull, !isTrying { attempts = 0 }
    waiting.append(item)
    return isFull
  }

  /// The other side may be reachable again, or delivery is urgent: ends the pause after the last failure.
  public mutating func tryNow() { due = nil }

  /// The next step; nil when nothing waits, or one is being tried.
  public mutating func next(now: MonotonicInstant) -> Step? {
    guard !isTrying, let first = waiting.first else { return nil }
    if let due, now < due { return .rest(until: due) }
    isTrying = true
    return .attempt(first)
  }

  /// The one that was tried has arrived.
  public mutating func delivered() {
    backoff.reset()
    takeFirst()
  }

  /// The one that was tried will never be taken; others may be.
  public mutating func refused() { takeFirst() }

  /// The one that was tried has not arrived. Returns whether it is tried again; else it is given up.
  ///
  /// - Parameters:
  ///   - random: uniformly distributed in 0 ..< 1.
  ///   - requested: the pause that the other side requested.
  public mutating func failed(now: MonotonicInstant, random: Double, requested: TimeSpan? = nil) -> Bool {
    guard isTrying else { return false }
    isTrying = false
    attempts += 1
    due = now + backoff.next(random: random, requested: requested)
    guard attempts >= maxAttempts else { return true }
    removeFirst()
    return false
  }

  private mutating func takeFirst() {
    guard isTrying else { return }
    (isTrying, due) = (false, nil)
    removeFirst()
  }

  private mutating func removeFirst() {
    attempts = 0
    waiting.removeFirst()
  }
}

extension DeliveryQueue: Sendable where Item: Sendable {}
extension DeliveryQueue.Step: Sendable where Item: Sendable {}
extension DeliveryQueue.Step: Equatable where Item: Equatable {}
