import DeviceMedia
import ICE
import SystemSupport
import MediaCore
import PeerSession
import RealtimeRuntime
import SDP
import Signalling

@testable import NetworkLoop

/// A network whose peers agree to whatever they are offered.
final class FakeNetwork: SessionNetwork {
  struct State {
    var refuses = false
    /// What is agreed to be sent, if not all that is published.
    var sends: Set<MediaKind>?
    var missing: [RefusedMedia] = []
    var skippedLines: [String] = []
    var publish: [SessionID: Set<MediaKind>] = [:]
    var hungUp: [SessionID] = []
    var layers: [SessionID: [Int]] = [:]
    var sources: [SessionID: [Int]] = [:]
    var recorders: [SessionID: [FrameInbox]] = [:]
    var playouts: [SessionID: ReceivedSoundQueue] = [:]
    var mixes: [SessionID: UInt8] = [:]
    /// What is agreed to be received.
    var receives: Set<MediaKind> = [.audio, .video]
    var keyFrameRequests: [SessionID] = []
    var statistics: [SessionID: PeerSessionStatistics] = [:]
    var latest: [SessionID: SessionHandle] = [:]
    var isStopped = false
  }

  struct Refusal: Error {}

  let state = Mutex(State())
  /// When set, negotiations wait here.
  let gate = Mutex<Gate?>(nil)
  let localFrames: FrameInbox
  let furtherFrames: [FrameInbox]
  let events: AsyncStream<NetworkEvent>
  let readings = LatestValues<SessionHandle, SessionReading>()
  let notices: AsyncStream<NetworkNotice>
  private let sink: AsyncStream<NetworkEvent>.Continuation
  private let noticeSink: AsyncStream<NetworkNotice>.Continuation

  init() throws {
    localFrames = try FrameInbox()
    furtherFrames = try (0..<4).map { _ in try FrameInbox(audioBytes: 0) }
    (events, sink) = AsyncStream.makeStream(of: NetworkEvent.self)
    (notices, noticeSink) = AsyncStream.makeStream(of: NetworkNotice.self)
  }

  /// The attempt at a session that was begun last.
  func latest(_ sessionID: SessionID) -> SessionHandle {
    state.withLock { $0.latest[sessionID] } ?? SessionHandle(sessionID)
  }

  /// Tells of the latest attempt, unless another is meant.
  func emit(_ step: NetworkEvent.Step, _ sessionID: SessionID, attempt: SessionHandle? = nil) {
    sink.yield(NetworkEvent(session: attempt ?? latest(sessionID), event: step))
  }

  func emit(_ notice: NetworkNotice) { noticeSink.yield(notice) }

  func emit(estimate kilobits: Int, _ sessionID: SessionID) {
    readings.update(latest(sessionID), initial: SessionReading()) { $0.estimate = .kilobits(kilobits) }
  }

  func emit(soundLoss percent: Int, _ sessionID: SessionID) {
    readings.update(latest(sessionID), initial: SessionReading()) { $0.soundLoss = percent }
  }

  var progress: UInt64 { 0 }

  func answer(
    session: SessionHandle, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>,
    servers: [ICEServer]
  ) async throws -> LocalDescription {
    try await describe("answer", session, publish)
  }

  func offer(
    session: SessionHandle, publish: Set<MediaKind>, subscribe: Set<MediaKind>
  ) async throws -> LocalDescription {
    try await describe("offer", session, publish)
  }

  func wholeOffer(
    session: SessionHandle, publish: Set<MediaKind>, subscribe: Set<MediaKind>, servers: [ICEServer]
  ) async throws -> LocalDescription {
    try await describe("offer", session, publish)
  }

  func accept(answer: String, session: SessionHandle) async throws -> LocalDescription {
    try await describe("accepted", session, nil)
  }

  func renegotiate(offer: String, session: SessionHandle) async throws -> LocalDescription {
    try await describe("later answer", session, nil)
  }

  private func describe(
    _ what: String, _ session: SessionHandle, _ publish: Set<MediaKind>?
  ) async throws -> LocalDescription {
    if publish != nil { state.withLock { $0.latest[session.sessionID] = session } }
    await gate.withLock { $0 }?.pass()
    return try state.withLock { state in
      if state.refuses { throw Refusal() }
      if let publish { state.publish[session.sessionID] = publish }
      let sends = state.sends ?? state.publish[session.sessionID] ?? []
      return LocalDescription(
        sdp: "\(what) \(session.sessionID)", sends: sends, receives: state.receives,
        missing: state.missing, skippedLines: state.skippedLines)
    }
  }

  func addServers(_ servers: [ICEServer], session: SessionHandle) {}
  func addRemoteCandidates(_ candidates: [String], session: SessionHandle) {}
  func hangUp(session: SessionHandle) { state.withLock { $0.hungUp.append(session.sessionID) } }
  func requestKeyFrame(session: SessionHandle) { state.withLock { $0.keyFrameRequests.append(session.sessionID) } }
  func setVideoLayers(_ count: Int, session: SessionHandle) {
    state.withLock { $0.layers[session.sessionID, default: []].append(count) }
  }
  func setVideoSource(_ source: Int, session: SessionHandle) {
    state.withLock { $0.sources[session.sessionID, default: []].append(source) }
  }

  func addRecorder(_ inbox: FrameInbox, session: SessionHandle) {
    state.withLock { $0.recorders[session.sessionID, default: []].append(inbox) }
  }

  func removeRecorder(_ inbox: FrameInbox, session: SessionHandle) {
    state.withLock { $0.recorders[session.sessionID]?.removeAll { $0 === inbox } }
  }

  func recorderCount(_ sessionID: SessionID) -> Int { state.withLock { $0.recorders[sessionID]?.count ?? 0 } }

  func setMix(_ mix: UInt8, session: SessionHandle) { state.withLock { $0.mixes[session.sessionID] = mix } }

  func setPlayout(_ queue: ReceivedSoundQueue?, session: SessionHandle) {
    state.withLock { $0.playouts[session.sessionID] = queue }
  }
  func statistics() async -> [SessionHandle: PeerSessionStatistics] {
    state.withLock { state in
      Dictionary(uniqueKeysWithValues: state.statistics.map { (state.latest[$0] ?? SessionHandle($0), $1) })
    }
  }
  func stop() { state.withLock { $0.isStopped = true } }
}
