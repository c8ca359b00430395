import CallPolicy
import HubClient
import Logging
public import MediaCore
import MediaPlaneAPI
import Signalling
import Synchronization

/// The daemon's control heart: takes calls from the hub and lets the policy decide, places calls, drives the media plane,
/// keeps presence, and answers the control socket.
///
/// ``run(fixes:)`` does the work until its task is cancelled, then ``stop()`` ends everything in order. Nothing in
/// here waits without a limit: what talks to the hub or the media plane runs in two bounded queues a call, beside the
/// actor, and deadlines end a call whose queues are stuck.
public actor CallEngine {
  /// A call with its queues of actions.
  struct Call {
    let details: CallDetails
    let startedAt: MonotonicInstant
    /// What the other party may do, as the hub has signed it; nil until a call that this device places is answered.
    var partyRole: SessionRole?
    var machine: CallMachine
    var hubActions = ActionQueue<HubAction>()
    var mediaActions = ActionQueue<MediaAction>()
    /// What watchers were told last.
    var shownPhase: CallPhase?
    /// Those who wait for the archive that is starting.
    var archiveWaiters: [CheckedContinuation<String, any Error>] = []

    var isOver: Bool { machine.phase.isEnded && hubActions.isIdle && mediaActions.isIdle }
  }

  let environment: EngineEnvironment
  var settings: EngineSettings
  var calls: [String: Call] = [:]
  var presence: PresenceScheduler
  var history = CallHistory()
  var positions = Positions()
  var chat: [ChatMessage] = []
  /// Archives of the device alone, without a call.
  var deviceArchives: Set<String> = []
  var continuous = ContinuousRecording()
  var muting = Muting()
  var signingKeys = SigningKeyCache()
  /// The request for the hub's keys that was made last.
  var keyFetch: Task<Void, Never>?
  var watchers = EventWatchers()
  var isStopped = false
  /// Why presence could not be announced, if it could not lately.
  var presenceFailure: String?
  /// The announcement of presence that is under way.
  var announcement: Task<Void, Never>?
  private var endWaiter: CheckedContinuation<Void, Never>?

  private var alarm: Task<Void, Never>?
  private var alarmAt = MonotonicInstant.distantFuture
  private let turns = Atomic<UInt64>(0)

  var logger: Logger { environment.logger }

  public init(_ environment: EngineEnvironment, settings: EngineSettings) {
    self.environment = environment
    self.settings = settings
    presence = PresenceScheduler(location: LocationPublisher(settings.location))
    continuous.setWanted(settings.recordsAlways, now: environment.now())
  }

  /// Turns of the control loop: advances at least every ``idleTurn`` while ``run(fixes:)`` runs, for the watchdog.
  public nonisolated var turnCount: UInt64 { turns.load(ordering: .relaxed) }

  /// The longest rest of the control loop.
  static let idleTurn = TimeSpan.seconds(5)

  /// Works until the task is cancelled.
  ///
  /// - Parameter fixes: checked positions, if there is a receiver.
  public func run(fixes: AsyncStream<PositionFix>? = nil) async {
    let environment = environment
    await withDiscardingTaskGroup { group in
      group.addTask { await environment.hub.run { await self.handle($0) } }
      group.addTask { for await event in environment.media.events { await self.handle(event) } }
      group.addTask {
        guard let fixes else { return }
        for await fix in fixes { await self.handle(fix) }
      }
      await turnUntilCancelled()
    }
  }

  /// Ends all calls and archives, withdraws presence and returns when that is done, after 5 s at the latest.
  ///
  /// To be called once, after ``run(fixes:)`` has returned.
  public func stop() async {
    isStopped = true
    keyFetch?.cancel()
    for sessionID in calls.keys { update(sessionID) { $0.hangUp(.shutdown) } }
    let ending = Task {
      // An announcement that is still under way must not overtake the withdrawal.
      self.announcement?.cancel()
      await self.announcement?.value
      await self.withdrawPresence()
      await self.waitForEndOfCalls()
    }
    let limit = Task {
      try await Task.sleep(for: .seconds(5))
      ending.cancel()
      self.resumeEndWaiter()
    }
    await ending.value
    limit.cancel()
    if !calls.isEmpty { logger.warning("\(calls.count) calls did not end in time") }
    watchers.finish()
  }

  private func waitForEndOfCalls() async {
    guard !calls.isEmpty, !Task.isCancelled else { return }
    await withCheckedContinuation { endWaiter = $0 }
  }

  func resumeEndWaiter() {
    endWaiter?.resume()
    endWaiter = nil
  }

  // MARK: Time

  private func turnUntilCancelled() async {
    while !Task.isCancelled {
      turns.add(1, ordering: .relaxed)
      tick()
      await sleep(until: min(nextDeadline, environment.now() + Self.idleTurn))
    }
  }

  private func sleep(until instant: MonotonicInstant) async {
    let wait = instant - environment.now()
    guard wait > .zero else { return }
    alarmAt = instant
    let alarm = Task<Void, Never> { try? await Task.sleep(for: .nanoseconds(wait.nanoseconds)) }
    self.alarm = alarm
    await withTaskCancellationHandler {
      await alarm.value
    } onCancel: {
      alarm.cancel()
    }
    self.alarm = nil
    alarmAt = .distantFuture
  }

  /// Shortens the control loop's rest if a deadline has come nearer.
  func rearm() {
    if nextDeadline < alarmAt { alarm?.cancel() }
  }

  private var nextDeadline: MonotonicInstant {
    let deadlines = calls.values.compactMap(\.machine.nextDeadline)
    let others = [presence.nextDeadline, positions.filter.staleAt, continuous.nextDeadline].compactMap(\.self)
    return (deadlines + others).min() ?? .distantFuture
  }

  /// Does what is due.
  func tick() {
    let now = environment.now()
    for (sessionID, call) in calls where (call.machine.nextDeadline.map { $0 <= now } ?? false) {
      update(sessionID) { $0.tick(now: now) }
    }
    expirePosition(now: now)
    recordContinuously(now: now)
    announcePresence(now: now)
  }
}
