internal import SystemSupport
public import MediaCore

/// Delivers items in order to a receiver that may be offline, one at a time. Failures are reported once, until one
/// arrives again.
public final class Delivery<Item: Sendable>: Sendable {
  /// What became of an attempt.
  public enum Outcome: Sendable, Hashable {
    case delivered
    /// It may arrive later; with the error, and the pause that the other side requested.
    case failed(String, retryAfter: TimeSpan? = nil)
    /// It will never be taken.
    case refused(String)
  }

  /// Events for the log.
  public enum Notice: Sendable, Hashable {
    /// It does not work; the first attempt since it last did.
    case failing(String)
    /// Something was lost, because it was refused, tried too often, or too much waited; the first since it last worked.
    case lost(String)
    case works
  }

  /// Since the start.
  public struct Counts: Sendable, Hashable {
    public var delivered = 0
    public var lost = 0
  }

  private struct State {
    var queue: DeliveryQueue<Item>
    var counts = Counts()
    var isFailing = false
    var isLosing = false
    var trouble: String?
    /// The pause that is being made.
    var rest: Task<Void, Never>?
    /// Whether no pause is to be made before the next attempt.
    var isHurried = false
  }

  private let start = ContinuousClock.now
  private let state: Mutex<State>
  private let arrivals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let attempt: @Sendable (Item) async -> Outcome
  private let note: @Sendable (Notice) -> Void

  /// - Parameters:
  ///   - attempt: has its own time limit.
  ///   - note: called on any thread.
  public init(
    _ queue: DeliveryQueue<Item>, note: @escaping @Sendable (Notice) -> Void,
    attempt: @escaping @Sendable (Item) async -> Outcome
  ) {
    state = Mutex(State(queue: queue))
    (arrivals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.note = note
    self.attempt = attempt
  }

  public var counts: Counts { state.withLock { $0.counts } }

  /// Why items do not arrive, or did not last; nil while they do.
  public var trouble: String? { state.withLock { $0.trouble } }

  /// How many wait.
  public var waiting: Int { state.withLock { $0.queue.count } }

  /// Returns at once; where too many wait the oldest goes.
  public func add(_ item: Item) {
    let isOver = state.withLock { $0.queue.add(item) }
    if isOver { lose("too many wait, so the oldest go") }
    signal.yield()
  }

  /// Tries the first that waits at once, in place of a pause.
  public func tryNow() {
    state.withLock { state in
      state.queue.tryNow()
      state.isHurried = true
      state.rest?.cancel()
    }
  }

  /// Delivers until the task is cancelled. To be called once.
  public func run() async {
    for await _ in arrivals { await deliverAll() }
  }

  private func deliverAll() async {
    while !Task.isCancelled, let step = state.withLock({ $0.queue.next(now: now) }) {
      switch step {
      case .attempt(let item): take(await attempt(item))
      case .rest(let end): await rest(until: end)
      }
    }
  }

  private func rest(until end: MonotonicInstant) async {
    let pause = end - now
    let rest = Task { _ = try? await Task.sleep(for: .nanoseconds(pause.nanoseconds)) }
    state.withLock { state in
      state.rest = rest
      if state.isHurried { rest.cancel() }
      state.isHurried = false
    }
    await withTaskCancellationHandler {
      await rest.value
    } onCancel: {
      rest.cancel()
    }
    state.withLock { $0.rest = nil }
  }

  private func take(_ outcome: Outcome) {
    // An attempt that was broken off says nothing of the other side.
    guard outcome == .delivered || !Task.isCancelled else { return }
    switch outcome {
    case .delivered: succeed()
    case .refused(let cause):
      state.withLock { $0.queue.refused() }
      lose(cause)
    case .failed(let cause, let requested):
      let (isKept, isNew) = state.withLock { state in
        defer { (state.isFailing, state.trouble) = (true, cause) }
        let random = Double.random(in: 0..<1)
        return (state.queue.failed(now: now, random: random, requested: requested), !state.isFailing)
      }
      if isNew { note(.failing(cause)) }
      if !isKept { lose("tried too often: \(cause)") }
    }
  }

  private func succeed() {
    let wasFailing = state.withLock { state in
      state.queue.delivered()
      state.counts.delivered += 1
      defer { (state.isFailing, state.isLosing, state.trouble) = (false, false, nil) }
      return state.isFailing || state.isLosing
    }
    if wasFailing { note(.works) }
  }

  private func lose(_ cause: String) {
    let isNew = state.withLock { state in
      state.counts.lost += 1
      defer { (state.isLosing, state.trouble) = (true, cause) }
      return !state.isLosing
    }
    if isNew { note(.lost(cause)) }
  }

  /// On a timeline of this value's own.
  private var now: MonotonicInstant {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return MonotonicInstant(nanoseconds: 0) + .seconds(seconds) + TimeSpan(nanoseconds: attoseconds / 1_000_000_000)
  }
}
