import DeviceMedia
import ICE
import Locking
import MediaCore
import PeerSession
import RealtimeRuntime

@testable import NetworkLoop

/// A network whose peers agree to whatever they are offered.
final class FakeNetwork: SessionNetwork {
  struct State {
    var refuses = false
    /// What is agreed to be sent, if not all that is published.
    var sends: Set<MediaKind>?
    var unbundledKinds: Set<MediaKind> = []
    var publish: [String: Set<MediaKind>] = [:]
    var hungUp: [String] = []
    var layers: [String: [Int]] = [:]
    var recorders: [String: FrameInbox] = [:]
    var playouts: [String: FrameInbox] = [:]
    var keyFrameRequests: [String] = []
    var statistics: [String: PeerSessionStatistics] = [:]
    var isStopped = false
  }

  struct Refusal: Error {}

  let state = Mutex(State())
  /// When set, negotiations wait here.
  let gate = Mutex<Gate?>(nil)
  let restartGate = Mutex<Gate?>(nil)
  let localFrames: FrameInbox
  let events: AsyncStream<NetworkEvent>
  let readings = LatestValues<String, SessionReading>()
  let notices: AsyncStream<NetworkNotice>
  private let sink: AsyncStream<NetworkEvent>.Continuation
  private let noticeSink: AsyncStream<NetworkNotice>.Continuation

  init() throws {
    localFrames = try FrameInbox()
    (events, sink) = AsyncStream.makeStream(of: NetworkEvent.self)
    (notices, noticeSink) = AsyncStream.makeStream(of: NetworkNotice.self)
  }

  func emit(_ step: NetworkEvent.Step, _ sessionID: String) {
    sink.yield(NetworkEvent(sessionID: sessionID, event: step))
  }

  func emit(_ notice: NetworkNotice) { noticeSink.yield(notice) }

  func emit(estimate kilobits: Int, _ sessionID: String) {
    readings.update(sessionID, initial: SessionReading()) { $0.estimate = .kilobits(kilobits) }
  }

  func emit(soundLoss percent: Int, _ sessionID: String) {
    readings.update(sessionID, initial: SessionReading()) { $0.soundLoss = percent }
  }

  var progress: UInt64 { 0 }

  func answer(
    sessionID: String, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>,
    servers: [ICEServerDescription]
  ) async throws -> LocalDescription {
    try await describe("answer", sessionID, publish)
  }

  func offer(
    sessionID: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>
  ) async throws -> LocalDescription {
    try await describe("offer", sessionID, publish)
  }

  func accept(answer: String, sessionID: String) async throws -> LocalDescription {
    try await describe("accepted", sessionID, nil)
  }

  func renegotiate(offer: String, sessionID: String) async throws -> LocalDescription {
    try await describe("later answer", sessionID, nil)
  }

  func restartICE(sessionID: String) async throws -> LocalDescription {
    await restartGate.withLock { $0 }?.pass()
    return try await describe("restart", sessionID, nil)
  }

  private func describe(
    _ what: String, _ sessionID: String, _ publish: Set<MediaKind>?
  ) async throws -> LocalDescription {
    await gate.withLock { $0 }?.pass()
    return try state.withLock { state in
      if state.refuses { throw Refusal() }
      if let publish { state.publish[sessionID] = publish }
      let sends = state.sends ?? state.publish[sessionID] ?? []
      return LocalDescription(sdp: "\(what) \(sessionID)", sends: sends, unbundledKinds: state.unbundledKinds)
    }
  }

  func addServers(_ servers: [ICEServerDescription], sessionID: String) {}
  func addRemoteCandidates(_ candidates: [String], sessionID: String) {}
  func hangUp(sessionID: String) { state.withLock { $0.hungUp.append(sessionID) } }
  func requestKeyFrame(sessionID: String) { state.withLock { $0.keyFrameRequests.append(sessionID) } }
  func setVideoLayers(_ count: Int, sessionID: String) {
    state.withLock { $0.layers[sessionID, default: []].append(count) }
  }
  func setRecorder(_ inbox: FrameInbox?, sessionID: String) { state.withLock { $0.recorders[sessionID] = inbox } }
  func setPlayout(_ inbox: FrameInbox?, sessionID: String) { state.withLock { $0.playouts[sessionID] = inbox } }
  func statistics() async -> [String: PeerSessionStatistics] { state.withLock { $0.statistics } }
  func stop() { state.withLock { $0.isStopped = true } }
}
