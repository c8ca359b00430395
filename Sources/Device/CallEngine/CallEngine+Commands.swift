import MediaPlaneAPI
public import Signalling

/// What somebody at the device may ask for.
extension CallEngine {
  public func status() async -> EngineStatus {
    let media = await environment.media.status()
    let userID = await environment.hub.userID
    return EngineStatus(
      title: settings.title, userID: userID, hubTitle: await environment.hub.userTitle,
      isHubConnected: isHubConnected, outage: environment.hub.outage ?? presenceFailure,
      isClockSynchronized: environment.isClockSynchronized(), calls: currentCalls,
      maximumSessions: settings.maximumSessions, muted: muting.state, media: media, position: positionReport,
      continuousRecording: continuous.summary, now: environment.now())
  }

  /// Whether the event stream is open, without which nobody could call or be called.
  public var isHubConnected: Bool { presence.eventStreamID != nil }

  /// The calls that are not over, in the order of their ids.
  public var currentCalls: [CallSnapshot] {
    calls.values.filter { !$0.machine.phase.isEnded }.map { snapshot($0) }.sorted { $0.sessionID < $1.sessionID }
  }

  /// The newest chat messages, the oldest first.
  public var chatMessages: [ChatMessage] { chat }

  /// What happens from now on; a watcher that does not read loses the oldest.
  public func events() -> AsyncStream<EngineEvent> {
    watchers.add { id in Task { await self.removeWatcher(id) } }
  }

  private func removeWatcher(_ id: Int) { watchers.remove(id) }

  /// Who is online, nearest first.
  public func users(limit: Int = 100) async throws -> NearbyUsers {
    try await environment.hub.users(limit: limit)
  }

  /// Answers a call that rings.
  public func answer(_ sessionID: String) throws(EngineError) {
    let now = environment.now()
    try command(sessionID) { $0.answerLocally(now: now) }
  }

  /// Rejects a call that rings.
  public func reject(_ sessionID: String, reason: RejectReason = .declined) throws(EngineError) {
    try command(sessionID) { $0.rejectLocally(reason) }
  }

  public func hangUp(_ sessionID: String) throws(EngineError) {
    try command(sessionID) { $0.hangUp(.hangup) }
  }

  public func swapCamera() async throws {
    try await environment.media.swapCamera()
  }

  /// Sends a line of text to the other party; returns when the hub has taken it.
  public func sendChat(_ sessionID: String, text: String) async throws {
    guard (1...8192).contains(text.utf8.count) else { throw EngineError.invalidMessage }
    guard let call = calls[sessionID], !call.machine.phase.isEnded else { throw EngineError.noSuchCall }
    try await environment.hub.sendSignal(SessionSignal(type: "chat", data: text), sessionID: sessionID)
    let userID = await environment.hub.userID
    keep(ChatMessage(sessionID: sessionID, userID: userID, isOutgoing: true, text: text))
  }

  /// Starts an archive of a call and returns its id.
  ///
  /// Ends with the call, or after 10 s, at the latest.
  @discardableResult
  public func startArchive(_ sessionID: String) async throws -> String {
    try command(sessionID) { $0.startArchive() }
    let limit = Task {
      try await Task.sleep(for: .seconds(10))
      self.resumeArchiveWaiters(sessionID, .failure(EngineError.archiveRefused))
    }
    defer { limit.cancel() }
    return try await withCheckedThrowingContinuation { continuation in
      calls[sessionID]?.archiveWaiters.append(continuation)
    }
  }

  /// Tells those who wait for an archive what became of it.
  func resumeArchiveWaiters(_ sessionID: String, _ result: Result<String, any Error>) {
    guard let waiters = calls[sessionID]?.archiveWaiters, !waiters.isEmpty else { return }
    calls[sessionID]?.archiveWaiters = []
    for waiter in waiters { waiter.resume(with: result) }
  }

  public func stopArchive(_ archiveID: String) async throws(EngineError) {
    if deviceArchives.contains(archiveID) { return await stopDeviceArchive(archiveID) }
    let found = calls.first { $0.value.machine.archive.runningID == archiveID }
    guard let sessionID = found?.key else { throw .noSuchArchive }
    try command(sessionID) { $0.stopArchive() }
  }

  /// Takes over new settings; calls that are up keep what was decided for them.
  public func apply(_ new: EngineSettings) {
    let old = settings
    settings = new
    let now = environment.now()
    if new.location != old.location {
      presence.replaceLocation(LocationPublisher(new.location), now: now)
    } else {
      presence.changed(now: now)
    }
    continuous.setWanted(new.recordsAlways, now: now)
    recordContinuously(now: now)
    rearm()
  }

  private func command(_ sessionID: String, _ step: (inout CallMachine) -> [CallAction]) throws(EngineError) {
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
