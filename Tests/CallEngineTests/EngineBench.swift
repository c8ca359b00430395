import CallPolicy
import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import TestSupport
import Signalling
import SystemSupport

@testable import CallEngine

/// An engine between fakes, in time that stands still until a test moves it.
struct EngineBench {
  let log = CallLog()
  let media: FakeMediaPlane
  let hub: FakeHub
  let actions = FakeActions()
  let engine: CallEngine
  private let events: AsyncStream<EngineEvent>
  private let clock = Clock()
  private let placed = Counter()

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock {
        $0 += 1
        return $0
      }
    }
  }

  private final class Clock: Sendable {
    let now = Mutex(MonotonicInstant(nanoseconds: 1_000_000_000_000))
  }

  init(
    _ decision: PolicyDecision = .answer(AnswerSettings()), maximumSessions: Int = 16, isClockSynchronized: Bool = true,
    cameras: [String] = []
  ) throws {
    let rule = try PolicyRule(name: "all", conditions: [], decision: decision)
    try self.init(
      policy: CallPolicy(rules: [rule]), maximumSessions: maximumSessions, isClockSynchronized: isClockSynchronized,
      cameras: cameras)
  }

  init(
    policy: CallPolicy, location: LocationPublisher.Settings = .init(), maximumSessions: Int = 16,
    isClockSynchronized: Bool = true, hasVideo: Bool = true, cameras: [String] = []
  ) throws {
    media = FakeMediaPlane(log: log)
    hub = FakeHub(log: log)
    let clock = clock
    let placed = placed
    var environment = EngineEnvironment(
      hub: hub, media: media, verifier: MirrorVerifier(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      now: { clock.now.withLock { $0 } }, isClockSynchronized: { isClockSynchronized }, wallClock: { 1_500 },
      // s, s2, s3 …
      makeSessionID: {
        let number = placed.next()
        return number == 1 ? "s" : SessionID("s\(number)")!
      })
    environment.actions = actions
    environment.random = { 0.5 }
    var settings = EngineSettings(
      title: "Gate", policy: policy, location: location, hasVideo: hasVideo, maximumSessions: maximumSessions)
    settings.cameras = cameras
    engine = CallEngine(environment, settings: settings)
    events = engine.events()
  }

  /// The next so many lines of chat that those who watch are shown.
  func chat(_ count: Int) async -> [ChatMessage] {
    var messages: [ChatMessage] = []
    for await event in events {
      if case .chat(let message) = event { messages.append(message) }
      if messages.count == count { break }
    }
    return messages
  }

  var now: MonotonicInstant { clock.now.withLock { $0 } }

  /// Moves the time and lets the engine do what is due.
  func advance(_ span: TimeSpan) async {
    clock.now.withLock { $0 = $0 + span }
    await engine.tick()
    engine.presence.tick()
    await engine.recorder.tick()
  }

  /// Waits until the calls' actions have all been carried out, for those who look at what was *not* done.
  func drain() async {
    try? await eventually { await engine.hasIdleCalls }
  }

  /// What the fakes have been asked for once the calls' actions have all been carried out; while a gate holds one up,
  /// `log.lines` tells how far they are.
  var lines: [String] {
    get async {
      await drain()
      return log.lines
    }
  }

  /// Waits for the announcement of presence that is under way.
  func settle() async { await engine.presence.announcement?.value }

  func call(
    _ sessionID: SessionID = "s", callerID: String = "anna", role: SessionRole = .moderator, isAudio: Bool = true,
    isVideo: Bool = true
  ) async {
    let token = Self.token(of: callerID, role, in: sessionID)
    await call(sessionID, callerID: callerID, token: token, isAudio: isAudio, isVideo: isVideo)
  }

  /// A call with any token, or none; it has been decided when this returns, unless the hub's keys are held up.
  func call(
    _ sessionID: SessionID = "s", callerID: String = "anna", token: String?, isAudio: Bool = true, isVideo: Bool = true
  ) async {
    await engine.handle(
      .callIncoming(
        IncomingCallEvent(
          sessionID: sessionID, callerID: callerID, callerTitle: "Anna", callerRole: "user", callerGroups: [],
          distance: nil, isAudio: isAudio, isVideo: isVideo, offer: "offer", token: "t", callerToken: token,
          iceServers: [])))
    if hub.keyGate.withLock({ $0 }) == nil { await engine.keyFetch?.value }
  }

  static func token(of userID: String, _ role: SessionRole = .moderator, in sessionID: SessionID = "s") -> String {
    SampleToken.text(SampleToken.claims(userID, role: role.rawValue, session: sessionID.text))
  }

  /// A call that has come as far as flowing media.
  func connectedCall(
    _ sessionID: SessionID = "s", callerID: String = "anna", role: SessionRole = .moderator
  ) async {
    await call(sessionID, callerID: callerID, role: role)
    await log.wait(for: "hub answer \(sessionID) sdp-\(sessionID)")
    await engine.handle(.connected(sessionID: sessionID))
  }

  static let anna = CallParty(userID: "anna", userTitle: "Anna")

  /// Opens the event stream, without which nobody can be called.
  func goOnline(isReset: Bool = false) async {
    await engine.handle(.hello(HelloEvent(eventStreamID: "e", isReset: isReset)))
  }

  /// A call of this device's own that the hub has taken.
  func placedCall(_ receiver: CallParty = EngineBench.anna) async throws {
    await goOnline()
    _ = try await engine.call(receiver)
    await log.wait(for: "media servers s 1")
  }

  func answered(_ sdp: String = "answer", by userID: String = "anna", role: SessionRole = .moderator) async {
    await answered(sdp, token: Self.token(of: userID, role))
  }

  func answered(_ sdp: String = "answer", token: String?) async {
    await engine.handle(.callAnswered(DescriptionEvent(sessionID: "s", sdp: sdp, token: token)))
    if hub.keyGate.withLock({ $0 }) == nil { await engine.keyFetch?.value }
  }

  /// A call of this device's own that has come as far as flowing media.
  func connectedOutgoingCall() async throws {
    try await placedCall()
    await answered()
    await log.wait(for: "media accept s answer")
    await engine.handle(.connected(sessionID: "s"))
  }

  /// Candidates of the other side.
  func candidates(_ list: [String]) async {
    let candidates = list.map { SessionCandidates.Candidate(candidate: $0, sdpMid: "0", sdpMLineIndex: 0) }
    await engine.handle(.callCandidates(CandidatesEvent(sessionID: "s", candidates: candidates)))
  }

  func hubEnds(_ sessionID: SessionID = "s", reason: String = "hangup") async {
    await engine.handle(.callEnded(SessionEndedEvent(sessionID: sessionID, reason: reason)))
  }

  func control(
    _ action: String, _ target: String? = nil, role: SessionRole = .moderator, sessionID: SessionID = "s",
    userID: String = "anna"
  ) async {
    await engine.handle(
      .control(ControlEvent(sessionID: sessionID, userID: userID, role: role, action: action, target: target)))
  }
}

extension CallEngine {
  fileprivate var hasIdleCalls: Bool {
    calls.sessionIDs.compactMap { calls[$0] }.allSatisfy { $0.hubActions.isIdle && $0.mediaActions.isIdle }
  }
}

extension AnswerSettings {
  static func with(_ change: (inout AnswerSettings) -> Void) -> AnswerSettings {
    var settings = AnswerSettings()
    change(&settings)
    return settings
  }
}
