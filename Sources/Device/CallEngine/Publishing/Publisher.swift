import EventDetection
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling

/// What surrounds a publisher; fakes in tests.
struct PublisherEnvironment: Sendable {
  var media: any MediaPlane
  var endpoint: any WHIPServing
  var sessions: PublishedSessions
  var now: @Sendable () -> MonotonicInstant
  /// Uniformly distributed in 0 ..< 1.
  var random: @Sendable () -> Double
  var makeSessionID: @Sendable () -> SessionID
  var logger: Logger
}

/// Publishes to one server: has ``Publication`` decide, and carries out its actions, one after the other.
///
/// Nothing of it is waited for by calls; what fails here ends here.
actor Publisher {
  private struct Session {
    let attempt: Int
    let id: SessionID
    /// What the server has made of the offer.
    var remote: WHIPSession?
  }

  /// How long the end of a session is waited for at shutdown.
  private static let endLimit = Duration.seconds(4)

  nonisolated let target: PublishTarget
  private let environment: PublisherEnvironment
  private var publication = Publication()
  private var occasions: PublishOccasions
  private var session: Session?
  /// The action that was begun last.
  private var lastAction: Task<Void, Never>?
  private var log: PublishLog
  private let (mediaEvents, mediaSink) = AsyncStream.makeStream(of: MediaPlaneEvent.self)
  private let loop = ControlLoop(longestRest: .seconds(60))

  init(_ target: PublishTarget, _ environment: PublisherEnvironment) {
    self.target = target
    self.environment = environment
    occasions = PublishOccasions(target.occasion)
    log = PublishLog(target, environment.logger)
  }

  /// Publishes, as long as the occasion is there, until the task is cancelled; then ends the session.
  func run(_ events: AsyncStream<EngineEvent>, calls: @escaping @Sendable () async -> [CallSnapshot]) async {
    await withDiscardingTaskGroup { group in
      group.addTask { for await event in events { await self.take(event, calls) } }
      group.addTask { for await event in self.mediaEvents { await self.take(event) } }
      while !Task.isCancelled {
        tick()
        let deadline = min(publication.deadline, occasions.deadline)
        await loop.rest(until: deadline, now: environment.now())
      }
      mediaSink.finish()
    }
    await end()
  }

  private func end() async {
    step { publication, now in publication.want(false, now: now) }
    guard let lastAction else { return }
    let limit = Task { try? await Task.sleep(for: Self.endLimit) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await lastAction.value }
      group.addTask { await limit.value }
      await group.next()
      // What is still under way ends by its own limit.
      lastAction.cancel()
      limit.cancel()
    }
  }

  var status: PublisherStatus {
    PublisherStatus(
      target: target, phase: publication.phase, failure: publication.failure, failures: publication.failureCount,
      problem: log.problem, sessionID: session?.id, now: environment.now())
  }

  // MARK: What happens

  /// Does what is due.
  func tick() {
    let random = environment.random()
    step { [occasions] publication, now in
      publication.want(occasions.isWanted(now: now), now: now) + publication.tick(now: now, random: random)
    }
  }

  private func take(_ event: EngineEvent, _ calls: @Sendable () async -> [CallSnapshot]) async {
    switch event {
    case .incoming, .call:
      let current = await calls()
      occasions.note(calls: current)
    case .detected(let event):
      occasions.note(event: event.id, isOver: event.end != nil, now: environment.now())
    case .hunt, .chat, .muted, .cameraSwapped, .archiveStarted, .archiveStopped, .hub, .action, .eventRule, .source:
      return
    }
    loop.wake(by: environment.now())
  }

  func take(_ event: MediaPlaneEvent) {
    guard let session, event.endpointID == session.id else { return }
    let attempt = session.attempt
    switch event {
    case .connected:
      step { publication, now in
        publication.connected(attempt, now: now); return []
      }
    case .offerMade(_, let sdp): step { $0.offered(sdp, of: attempt, now: $1) }
    case .ended(_, let reason): fail(ending(reason), attempt)
    case .mediaMissing(_, let missing): log.missing(missing)
    // The offer has all candidates, and a server has nothing to say.
    case .localCandidates, .pathMissing, .linesSkipped, .notHeard, .heard, .digitReceived: break
    case .archiveStopped, .cameraSwapped, .notice: break
    }
  }

  private func ending(_ reason: MediaEndReason) -> PublishFailure {
    if case .connecting = publication.phase { return .noPath }
    switch reason {
    case .closed: return .ended
    case .connectionLost, .error: return .lost
    }
  }

  private func fail(_ failure: PublishFailure, _ attempt: Int) {
    let random = environment.random()
    step { $0.failed(failure, of: attempt, now: $1, random: random) }
  }

  private func step(_ change: (inout Publication, MonotonicInstant) -> [Publication.Action]) {
    let actions = change(&publication, environment.now())
    for action in actions { carryOut(action) }
    log.follow(publication)
    loop.wake(by: publication.deadline)
  }
}

// MARK: - Actions

extension Publisher {
  private func carryOut(_ action: Publication.Action) {
    switch action {
    case .connect(let attempt):
      session = Session(attempt: attempt, id: environment.makeSessionID())
      begin { await $0.connect(attempt) }
    case .restart(let attempt, let offer): begin { await $0.restart(offer, attempt) }
    case .disconnect(let attempt):
      guard let session, session.attempt == attempt else { return }
      self.session = nil
      environment.sessions.remove(session.id)
      begin { await $0.disconnect(session) }
    }
  }

  private func begin(_ work: @escaping @Sendable (Publisher) async -> Void) {
    let before = lastAction
    lastAction = Task {
      await before?.value
      await work(self)
    }
  }

  private func connect(_ attempt: Int) async {
    do {
      try await establish(attempt)
    } catch {
      fail(error, attempt)
    }
  }

  private func establish(_ attempt: Int) async throws(PublishFailure) {
    guard let id = currentID(attempt) else { return }
    let servers = await environment.endpoint.iceServers()
    guard currentID(attempt) != nil else { return }
    environment.sessions.add(id, mediaSink)
    let offer = try await makeOffer(id, servers)
    let remote = try await environment.endpoint.begin(offer: offer)
    guard currentID(attempt) != nil else { return await environment.endpoint.end(remote) }
    session?.remote = remote
    if !remote.iceServers.isEmpty { await environment.media.addICEServers(remote.iceServers, sessionID: id) }
    try await accept(remote.answer, id)
  }

  /// Nil once the attempt is over.
  private func currentID(_ attempt: Int) -> SessionID? { session.flatMap { $0.attempt == attempt ? $0.id : nil } }

  private func makeOffer(_ id: SessionID, _ servers: [ICEServer]) async throws(PublishFailure) -> String {
    var request = PeerSessionRequest(
      sessionID: id, offer: nil, publish: target.kinds, subscribe: [], mayTalk: false, iceServers: servers)
    (request.isWhole, request.view) = (true, target.view)
    do {
      return try await environment.media.begin(request)
    } catch {
      throw PublishFailure("the device has nothing to offer: \(error)", remedy: "it is tried again")
    }
  }

  private func accept(_ answer: String, _ id: SessionID) async throws(PublishFailure) {
    do {
      try await environment.media.accept(answer: answer, sessionID: id)
    } catch {
      throw PublishFailure(
        "the answer of \(target.endpoint) cannot be used: \(error)",
        remedy: "see whether the server takes VP8 and Opus", .lasting)
    }
  }

  private func restart(_ offer: String, _ attempt: Int) async {
    guard let session, session.attempt == attempt, let remote = session.remote else { return }
    do throws(PublishFailure) {
      let answer = try await environment.endpoint.restart(remote, offer: offer)
      guard currentID(attempt) != nil else { return }
      self.session?.remote?.answer = answer
      try await accept(answer, session.id)
      publication.restarted(attempt)
      log.follow(publication)
    } catch {
      fail(error, attempt)
    }
  }

  private func disconnect(_ session: Session) async {
    await environment.media.hangUp(sessionID: session.id)
    if let remote = session.remote { await environment.endpoint.end(remote) }
  }
}
