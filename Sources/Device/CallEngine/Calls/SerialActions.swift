import Logging
import MediaPlaneAPI
import Signalling
import SystemSupport
internal import JournalLogging

/// Carries a call's actions of one kind out, one after the other: bounded in number and in bytes.
final class SerialActions<Action: QueuedAction>: Sendable {
  private let sessionID: SessionID
  private let logger: Logger
  private let queue = Mutex(ActionQueue<Action>())
  private let perform: @Sendable (Action) async -> ActionResult?
  private let report: @Sendable (ActionResult) async -> Void
  private let tasks = OwnedTasks()

  /// - Parameters:
  ///   - perform: carries an action out; what it returns is reported.
  ///   - report: takes results, in order, and ``ActionResult/idle`` whenever nothing is left to be done.
  init(
    _ sessionID: SessionID, logger: Logger, perform: @escaping @Sendable (Action) async -> ActionResult?,
    report: @escaping @Sendable (ActionResult) async -> Void
  ) {
    self.sessionID = sessionID
    self.logger = logger
    self.perform = perform
    self.report = report
  }

  /// Whether nothing waits and nothing is being done.
  var isIdle: Bool { queue.withLock { $0.isIdle } }

  /// Queues an action, or drops it if the queue is full or the call over.
  func append(_ action: Action) {
    let (isFirstDropped, mustStart) = queue.withLock { queue in
      let isFirstDropped = !queue.append(action) && !queue.hasOverflowed
      if isFirstDropped { queue.hasOverflowed = true }
      return (isFirstDropped, queue.beginDraining())
    }
    if isFirstDropped { logger.warning("call \(session: sessionID): too much at once, some of it was dropped") }
    if mustStart { tasks.begin { [self] in await drain() } }
  }

  /// The call is over: only what is essential is still done.
  func end() { queue.withLock { $0.end() } }

  /// Gives up what has not ended by itself; nothing is carried out from now on.
  func cancel() { tasks.cancel() }

  private func drain() async {
    while let action = queue.withLock({ $0.popFirst() }) {
      if let result = await perform(action) { await report(result) }
    }
    await report(.idle)
  }
}

/// A queue of actions, bounded in number and in bytes.
struct ActionQueue<Action: QueuedAction>: Sendable {
  private static var capacity: Int { 64 }
  /// What waits at most, SDP and candidates above all: what the other side sends while media or hub are busy.
  private static var maximumBytes: Int { 128 << 10 }

  private var pending: [Action] = []
  private var byteCount = 0
  private var isDraining = false
  private var hasEnded = false
  /// Whether an action has been dropped before, so that it is logged once.
  var hasOverflowed = false

  var isIdle: Bool { pending.isEmpty && !isDraining }

  /// Queues an action; returns false if it was dropped because the queue is full.
  mutating func append(_ action: Action) -> Bool {
    if action.endsCall { dropInessential() }
    if action.isEssential { return insert(action) }
    if hasEnded { return true }
    let isRoom = pending.count < Self.capacity && action.byteCount <= Self.maximumBytes - byteCount
    return isRoom && insert(action)
  }

  private mutating func insert(_ action: Action) -> Bool {
    pending.append(action)
    byteCount += action.byteCount
    return true
  }

  /// The call is over: only essential actions are taken from now on.
  mutating func end() {
    hasEnded = true
    dropInessential()
  }

  private mutating func dropInessential() {
    pending.removeAll { !$0.isEssential }
    byteCount = pending.reduce(0) { $0 + $1.byteCount }
  }

  /// Whether the queue has to be drained now, since it is not being drained.
  mutating func beginDraining() -> Bool {
    guard !isDraining, !pending.isEmpty else { return false }
    isDraining = true
    return true
  }

  /// The next action; nil ends the draining.
  mutating func popFirst() -> Action? {
    guard !pending.isEmpty else {
      isDraining = false
      return nil
    }
    let action = pending.removeFirst()
    byteCount -= action.byteCount
    return action
  }
}
