public import CallPolicy
public import EventDetection
import HubClient
public import MediaCore
public import MediaPlaneAPI
public import Signalling

/// Requests from the device itself.
extension CallEngine {
  public func status() async -> EngineStatus {
    let media = await environment.media.status()
    let userID = await environment.hub.userID
    return EngineStatus(
      title: settings.title, userID: userID, hubTitle: await environment.hub.userTitle,
      isHubConnected: isHubConnected, outage: environment.hub.outage ?? presence.failure,
      lastOutage: environment.hub.lastOutage,
      isClockSynchronized: environment.isClockSynchronized(), calls: currentCalls,
      maximumSessions: settings.maximumSessions, hunts: hunts.snapshots, muted: mutes.current, media: media,
      position: presence.positionReport,
      plans: await recorder.planStates, now: environment.now())
  }

  /// Whether the event stream is open, without which there are no calls.
  public nonisolated var isHubConnected: Bool { presence.isHubConnected }

  /// The calls that are not over, in the order of their ids.
  public var currentCalls: [CallSnapshot] { calls.snapshots }

  /// The policy by which the next call is decided, and how many calls are up.
  public var policyInForce: (policy: CallPolicy, callsUp: Int) { (settings.policy, calls.liveCount) }

  /// What happens from now on; a watcher that does not read loses the oldest.
  public nonisolated func events() -> AsyncStream<EngineEvent> { watchers.add() }

  /// Who is online, nearest first.
  public func users(limit: Int = 100) async throws -> NearbyUsers {
    try await environment.hub.users(limit: limit)
  }

  /// The ids of accounts at the hub by their titles.
  public func accountIDs(titled titles: [String]) async throws -> AccountIDs {
    try await environment.hub.accountIDs(titled: titles)
  }

  /// Reports to watchers what happens beside calls: uses of actions, and what sources of events notice.
  public nonisolated func note(_ event: EngineEvent) {
    watchers.notify(event)
    if case .detected(let event) = event { recorder.note(event) }
  }

  /// Has an ongoing event recorded by plans that wait for rules.
  public nonisolated func record(_ event: TimedEvent, for plans: Set<String>) { recorder.note(event, for: plans) }

  /// Answers a call that rings.
  public func answer(_ sessionID: SessionID) throws(EngineError) {
    let now = environment.now()
    try command(sessionID) { $0.answerLocally(now: now) }
  }

  /// Answers the call that has rung longest.
  ///
  /// - Throws: `noSuchCall` where none rings.
  public func answerRinging() throws(EngineError) {
    guard let sessionID = calls.longestRinging else { throw .noSuchCall }
    try answer(sessionID)
  }

  /// Rejects a call that rings.
  public func reject(_ sessionID: SessionID, reason: RejectReason = .declined) throws(EngineError) {
    try command(sessionID) { $0.rejectLocally(reason) }
  }

  public func hangUp(_ sessionID: SessionID) throws(EngineError) {
    try command(sessionID) { $0.hangUp(.hangup) }
  }

  /// Plays a sound on the loudspeaker.
  public func announce(_ announcement: Announcement) async throws {
    try await environment.media.announce(announcement)
  }

  public func swapCamera() async throws { try await environment.media.swapCamera() }

  /// Shows the other party of a call that was answered another camera.
  public func chooseCamera(_ camera: String, for sessionID: SessionID) async throws {
    guard let phase = calls[sessionID]?.machine.phase, phase.isAnswered else { throw EngineError.noSuchCall }
    try await environment.media.show(DeviceView(named: camera), sessionID: sessionID)
    calls[sessionID]?.chosenCamera = camera
    offerCameras(in: sessionID)
  }

  /// Sends the other party the cameras that it may choose.
  func offerCameras(in sessionID: SessionID) {
    carryOut(calls[sessionID]?.offer(settings.cameras) ?? [], sessionID: sessionID)
  }

  public func setMuted(_ target: MuteTarget, _ isMuted: Bool) async {
    mutes.change { $0.setLocally(target, isMuted) }
    await mutes.apply()
  }

  /// Sends a line of text to the other party; returns when the hub has taken it.
  public func sendChat(_ sessionID: SessionID, text: String) async throws {
    guard (1...ChatMessage.longestText).contains(text.utf8.count) else { throw EngineError.invalidMessage }
    guard calls[sessionID]?.isLive == true else { throw EngineError.noSuchCall }
    try await environment.hub.send(.signal(SessionSignal(type: "chat", data: text)), sessionID: sessionID)
    let userID = await environment.hub.userID
    watchers.notify(.chat(ChatMessage(sessionID: sessionID, userID: userID, isOutgoing: true, text: text)))
  }

  /// Starts an archive of a call and returns its id.
  ///
  /// Ends with the call, or after 10 s, at the latest.
  @discardableResult
  public func startArchive(_ sessionID: SessionID) async throws -> ArchiveID {
    try command(sessionID) { $0.startArchive() }
    guard let waiters = calls[sessionID]?.archiveWaiters else { throw EngineError.noSuchCall }
    return try await waiters.wait(atMost: .seconds(10))
  }

  public func stopArchive(_ archiveID: ArchiveID) async throws(EngineError) {
    if await recorder.stop(archiveID) { return }
    guard let sessionID = calls.sessionID(ofArchive: archiveID) else { throw .noSuchArchive }
    try command(sessionID) { $0.stopArchive() }
  }

  /// Records the device's own audio and video until it is stopped, and returns the archive's id.
  public func startDeviceArchive() async throws -> ArchiveID { try await recorder.start() }

  /// The archives that can be stopped now, of calls and of the device alone.
  public var runningArchives: [ArchiveID] {
    get async { currentCalls.compactMap(\.archiveID) + (await recorder.archiveIDs) }
  }

  /// Whether a manual recording of the device runs.
  public var isRecordingManually: Bool {
    get async { await recorder.handRecording.isRecording }
  }

  /// Begins a manual recording, or ends it; recordings of plans and calls continue.
  ///
  /// - Throws: where no archive can be begun.
  public func setManualRecording(_ isWanted: Bool) async throws {
    if isWanted { try await recorder.startManually() } else { await recorder.stopManually() }
  }

  /// Takes over new settings; calls that are up keep what was decided for them.
  ///
  /// - Parameter others: has what else decides take over the same settings. No decision about a call comes between.
  public func apply(_ settings: EngineSettings, with others: @Sendable () -> Void = {}) async {
    self.settings = settings
    others()
    presence.apply(settings)
    await recorder.apply(settings)
  }

  private func command(_ sessionID: SessionID, _ step: (inout CallMachine) -> [CallAction]) throws(EngineError) {
    guard !isStopped else { throw .stopped }
    var isDone = false
    update(sessionID) { machine in
      let actions = step(&machine)
      isDone = !actions.isEmpty
      return actions
    }
    guard isDone else { throw .noSuchCall }
  }
}
