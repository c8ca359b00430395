import HubClient
import Logging
public import MediaCore
import MediaPlaneAPI
import Signalling

/// The daemon's control: takes calls from the hub and lets the policy decide, places calls, drives the media plane, keeps
/// presence, and answers the control socket.
///
/// ``run(fixes:)`` does the work until its task is cancelled, then ``stop()`` shuts everything down. Nothing in
/// here waits without a limit: what talks to the hub or the media plane runs in two bounded queues a call, beside the
/// actor, and deadlines end a call whose queues are stuck.
public actor CallEngine {
  let environment: EngineEnvironment
  var settings: EngineSettings
  var calls: LiveCalls
  var admission = CallAdmission()
  var parties: PartyVerifier
  nonisolated let presence: PresencePublisher
  var hunts = CallHunts()
  var previews: CallPreviews
  /// Nil for a device without actions.
  let actionRequests: ActionRequests?
  let mutes: MuteControl
  /// Records the device alone, without a call.
  nonisolated let recorder: DeviceRecorder
  let watchers = EventWatchers()
  var isStopped = false
  /// The request for the hub's keys that was made last.
  var keyFetch: Task<Void, Never>?
  /// Called when the last call is over.
  let noCalls = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  let loop = ControlLoop(longestRest: .seconds(5))

  var logger: Logger { environment.logger }

  /// Nil for a device that publishes to no server.
  public nonisolated var publishers: Publishers? { environment.publishers }

  public init(_ environment: EngineEnvironment, settings: EngineSettings) {
    self.environment = environment
    self.settings = settings
    parties = PartyVerifier(environment.verifier)
    presence = PresencePublisher(environment, settings)
    actionRequests = ActionRequests(environment)
    mutes = MuteControl(media: environment.media, watchers: watchers)
    calls = LiveCalls(mutes: mutes, watchers: watchers, logger: environment.logger)
    previews = CallPreviews(
      media: environment.media, mutes: mutes, watchers: watchers, logger: environment.logger)
    recorder = DeviceRecorder(environment, settings, watchers: watchers)
  }

  /// How often the control loop has run: advances at least every 5 s while ``run(fixes:)`` runs, for the watchdog.
  public nonisolated var iterationCount: UInt64 { loop.iterationCount }

  /// Works until the task is cancelled.
  ///
  /// - Parameter fixes: checked positions, if there is a receiver.
  public func run(fixes: AsyncStream<PositionFix>? = nil) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.environment.hub.run { await self.handle($0) } }
      group.addTask { for await event in self.environment.media.events { await self.handle(event) } }
      group.addTask { await self.recorder.run() }
      group.addTask { await self.presence.run() }
      group.addTask {
        guard let fixes else { return }
        for await fix in fixes { await self.presence.take(fix) }
      }
      while !Task.isCancelled {
        tick()
        await loop.rest(until: nextDeadline ?? .distantFuture, now: environment.now())
      }
    }
  }

  /// Ends all calls and archives, withdraws presence and returns when that is done, after 5 s at the latest.
  ///
  /// To be called once, after ``run(fixes:)`` has returned.
  public func stop() async {
    isStopped = true
    keyFetch?.cancel()
    await recorder.stop()
    actionRequests?.stop()
    for sessionID in calls.sessionIDs { update(sessionID) { $0.hangUp(.shutdown) } }
    // A device that goes offline has its calls ended by the hub, which would name another reason.
    await wait(atMost: .seconds(3)) { await self.awaitEndOfCalls() }
    await wait(atMost: .seconds(2)) { await self.presence.withdraw() }
    if !calls.isEmpty { logger.warning("\(calls.count) calls did not end in time") }
    calls.abandon()
    watchers.finish()
  }

  private func awaitEndOfCalls() async {
    guard !calls.isEmpty else { return }
    for await _ in noCalls.stream where calls.isEmpty { return }
  }

  private func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async {
    let task = Task { await work() }
    let timeout = Task {
      try await Task.sleep(for: limit)
      task.cancel()
    }
    await task.value
    timeout.cancel()
  }

  // MARK: Time

  /// When ``tick()`` has something to do next.
  var nextDeadline: MonotonicInstant? {
    [calls.nextDeadline, hunts.nextDeadline, previews.nextDeadline].compactMap(\.self).min()
  }

  /// Lets calls, hunts and previews do what is due.
  func tick() {
    let now = environment.now()
    for sessionID in calls.overdue(now: now) { update(sessionID) { $0.tick(now: now) } }
    carryOut(hunts.tick(now: now))
    previews.tick(&calls, now: now)
  }
}
