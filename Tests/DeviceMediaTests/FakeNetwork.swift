import DeviceMedia
import ICE
import Locking
import MediaCore
import PeerSession
import RealtimeRuntime
import Signalling

@testable import NetworkLoop

/// A network whose peers agree to whatever they are offered.
final class FakeNetwork: SessionNetwork {
  struct State {
    var refuses = false
    /// What is agreed to be sent, if not all that is published.
    var sends: Set<MediaKind>?
    var unbundledKinds: Set<MediaKind> = []
    var publish: [SessionID: Set<MediaKind>] = [:]
    var hungUp: [SessionID] = []
    var layers: [SessionID: [Int]] = [:]
    var recorders: [SessionID: [FrameInbox]] = [:]
    var playouts: [SessionID: ReceivedSoundQueue] = [:]
    var mixes: [SessionID: UInt8] = [:]
    /// What is agreed to be received.
    var receives: Set<MediaKind> = [.audio, .video]
    var keyFrameRequests: [SessionID] = []
    var statistics: [SessionID: PeerSessionStatistics] = [:]
    var isStopped = false
  }

  struct Refusal: Error {}

  let state = Mutex(State())
  /// When set, negotiations wait here.
  let gate = Mutex<Gate?>(nil)
  let restartGate = Mutex<Gate?>(nil)
  let localFrames: FrameInbox
  let events: AsyncStream<NetworkEvent>
  let readings = LatestValues<SessionID, SessionReading>()
  let notices: AsyncStream<NetworkNotice>
  private let sink: AsyncStream<NetworkEvent>.Continuation
  private let noticeSink: AsyncStream<NetworkNotice>.Continuation

  init() throws {
    localFrames = try FrameInbox()
    (events, sink) = AsyncStream.makeStream(of: NetworkEvent.self)
    (notices, noticeSink) = AsyncStream.makeStream(of: NetworkNotice.self)
  }

  func emit(_ step: NetworkEvent.Step, _ sessionID: SessionID) {
    sink.yield(NetworkEvent(sessionID: sessionID, event: step))
  }

  func emit(_ notice: NetworkNotice) { noticeSink.yield(notice) }

  func emit(estimate kilobits: Int, _ sessionID: SessionID) {
    readings.update(sessionID, initial: SessionReading()) { $0.estimate = .kilobits(kilobits) }
  }

  func emit(soundLoss percent: Int, _ sessionID: SessionID) {
    readings.update(sessionID, initial: SessionReading()) { $0.soundLoss = percent }
  }

  var progress: UInt64 { 0 }

  func answer(
    sessionID: SessionID, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>,
    servers: [ICEServer]
  ) async throws -> LocalDescription {
    try await describe("answer", sessionID, publish)
  }

  func offer(
    sessionID: SessionID, publish: Set<MediaKind>, subscribe: Set<MediaKind>
  ) async throws -> LocalDescription {
    try await describe("offer", sessionID, publish)
  }

  func accept(answer: String, sessionID: SessionID) async throws -> LocalDescription {
    try await describe("accepted", sessionID, nil)
  }

  func renegotiate(offer: String, sessionID: SessionID) async throws -> LocalDescription {
    try await describe("later answer", sessionID, nil)
  }

  func restartICE(sessionID: SessionID) async throws -> LocalDescription {
    await restartGate.withLock { $0 }?.pass()
    return try await describe("restart", sessionID, nil)
  }

  private func describe(
    _ what: String, _ sessionID: SessionID, _ publish: Set<MediaKind>?
  ) async throws -> LocalDescription {
    await gate.withLock { $0 }?.pass()
    return try state.withLock { state in
      if state.refuses { throw Refusal() }
      if let publish { state.publish[sessionID] = publish }
      let sends = state.sends ?? state.publish[sessionID] ?? []
      return LocalDescription(
        sdp: "\(what) \(sessionID)", sends: sends, receives: state.receives, unbundledKinds: state.unbundledKinds)
    }
  }

  func addServers(_ servers: [ICEServer], sessionID: SessionID) {}
  func addRemoteCandidates(_ candidates: [String], sessionID: SessionID) {}
  func hangUp(sessionID: SessionID) { state.withLock { $0.hungUp.append(sessionID) } }
  func requestKeyFrame(sessionID: SessionID) { state.withLock { $0.keyFrameRequests.append(sessionID) } }
  func setVideoLayers(_ count: Int, sessionID: SessionID) {
    state.withLock { $0.layers[sessionID, default: []].append(count) }
  }
  func addRecorder(_ inbox: FrameInbox, sessionID: SessionID) {
    state.withLock { $0.recorders[sessionID, default: []].append(inbox) }
  }

  func removeRecorder(_ inbox: FrameInbox, sessionID: SessionID) {
    state.withLock { $0.recorders[sessionID]?.removeAll { $0 === inbox } }
  }

  func recorderCount(_ sessionID: SessionID) -> Int { state.withLock { $0.recorders[sessionID]?.count ?? 0 } }

  func setMix(_ mix: UInt8, sessionID: SessionID) { state.withLock { $0.mixes[sessionID] = mix } }

  func setPlayout(_ queue: ReceivedSoundQueue?, sessionID: SessionID) {
    state.withLock { $0.playouts[sessionID] = queue }
  }
  func statistics() async -> [SessionID: PeerSessionStatistics] { state.withLock { $0.statistics } }
  func stop() { state.withLock { $0.isStopped = true } }
}
