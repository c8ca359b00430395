import CallPolicy
import HubClient
import Logging
import MediaCore
import Signalling
import Synchronization

@testable import CallEngine

/// An engine between fakes, in time that stands still until a test moves it.
struct EngineBench {
  let log = CallLog()
  let media: FakeMediaPlane
  let hub: FakeHub
  let engine: CallEngine
  private let clock = Clock()

  private final class Clock: Sendable {
    let now = Mutex(MonotonicInstant(nanoseconds: 1_000_000_000_000))
  }

  init(
    _ decision: PolicyDecision = .answer(AnswerSettings()), maximumSessions: Int = 16, isClockSynchronized: Bool = true
  ) throws {
    let rule = try PolicyRule(name: "all", conditions: [], decision: decision)
    try self.init(
      policy: CallPolicy(rules: [rule]), maximumSessions: maximumSessions, isClockSynchronized: isClockSynchronized)
  }

  init(
    policy: CallPolicy, location: LocationPublisher.Settings = .init(), maximumSessions: Int = 16,
    isClockSynchronized: Bool = true, hasVideo: Bool = true
  ) throws {
    media = FakeMediaPlane(log: log)
    hub = FakeHub(log: log)
    let clock = clock
    let environment = EngineEnvironment(
      hub: hub, media: media, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      now: { clock.now.withLock { $0 } }, isClockSynchronized: { isClockSynchronized }, makeSessionID: { "s" })
    engine = CallEngine(
      environment,
      settings: EngineSettings(
        title: "Gate", policy: policy, location: location, hasVideo: hasVideo, maximumSessions: maximumSessions))
  }

  var now: MonotonicInstant { clock.now.withLock { $0 } }

  /// Moves the time and lets the engine do what is due.
  func advance(_ span: TimeSpan) async {
    clock.now.withLock { $0 = $0 + span }
    await engine.tick()
  }

  /// Waits for the announcement of presence that is under way.
  func settle() async { await engine.announcement?.value }

  func call(_ sessionID: String = "s", callerID: String = "anna", isVideo: Bool = true) async {
    await engine.handle(
      .incomingCall(
        IncomingCallEvent(
          sessionID: sessionID, callerID: callerID, callerTitle: "Anna", callerRole: "user", callerGroups: [],
          distance: nil, isAudio: true, isVideo: isVideo, offer: "offer", token: "t", iceServers: [])))
  }

  /// A call that has come as far as flowing media.
  func connectedCall(_ sessionID: String = "s") async {
    await call(sessionID)
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

  func answered(_ sdp: String = "answer") async {
    await engine.handle(.callAnswered(DescriptionEvent(sessionID: "s", sdp: sdp)))
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

  func hubEnds(_ sessionID: String = "s", reason: String = "hangup") async {
    await engine.handle(.callEnded(SessionEndedEvent(sessionID: sessionID, reason: reason)))
  }

  func control(
    _ action: String, _ target: String? = nil, role: SessionRole = .moderator, sessionID: String = "s"
  ) async {
    await engine.handle(
      .control(ControlEvent(sessionID: sessionID, userID: "anna", role: role, action: action, target: target)))
  }
}

extension AnswerSettings {
  static func with(_ change: (inout AnswerSettings) -> Void) -> AnswerSettings {
    var settings = AnswerSettings()
    change(&settings)
    return settings
  }
}
