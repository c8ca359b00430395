public import CallEngine
import ICE
import MediaCore
import MediaPipeline
import NetworkLoop
import PeerSession
import RealtimeRuntime
public import Signalling

/// Why the media side refused.
public enum DeviceMediaError: Error, Sendable, CustomStringConvertible {
  case renegotiationUnsupported
  case archiveRefused(reason: String)

  public var description: String {
    switch self {
    case .renegotiationUnsupported: "sessions cannot be renegotiated; hang up and call again"
    case .archiveRefused(let reason): "the archive was not started: \(reason)"
    }
  }
}

extension DeviceMedia {
  public func answer(_ request: AnswerRequest) async throws -> String {
    let publish = request.publish.intersection(devices.available)
    let subscribe: Set<MediaKind> = [.audio, .video]
    // Devices open while ICE and DTLS do their rounds, so that the first picture does not wait for them.
    try acquire(publish)
    if sessions.isEmpty { bus.attach(network.localFrames) }
    startSampling()
    sessions[request.sessionID] = MediaSession(publish: publish, mayTalk: request.mayTalk, playsTone: request.playsTone)
    do {
      return try await network.answer(
        sessionID: request.sessionID, offer: request.offer, publish: publish, subscribe: subscribe,
        servers: request.iceServers.map { ICEServerDescription($0) })
    } catch {
      sessions[request.sessionID] = nil
      releaseUnused()
      throw error
    }
  }

  public func renegotiate(sessionID: String, offer: String) async throws -> String {
    throw DeviceMediaError.renegotiationUnsupported
  }

  public func offer(_ request: OfferRequest) async throws -> String { throw DeviceMediaError.renegotiationUnsupported }

  public func accept(answer: String, sessionID: String) async throws {
    throw DeviceMediaError.renegotiationUnsupported
  }

  public func addICEServers(_ servers: [ICEServer], sessionID: String) async {
    network.addServers(servers.map { ICEServerDescription($0) }, sessionID: sessionID)
  }

  public func addRemoteCandidates(_ candidates: [String], sessionID: String) async {
    network.addRemoteCandidates(candidates.filter { !$0.isEmpty }, sessionID: sessionID)
  }

  public func hangUp(sessionID: String) async {
    guard let session = sessions.removeValue(forKey: sessionID) else { return }
    network.hangUp(sessionID: sessionID)
    stopPlayout(session)
    releaseUnused()
  }

  public func setMuted(_ target: MuteTarget, _ isMuted: Bool) async {
    devices.setMuted(target, isMuted)
    switch target {
    case .microphone: pipeline.setMuted(isMuted, .audio)
    case .camera: pipeline.setMuted(isMuted, .video)
    case .speaker: for session in sessions.values { session.playout?.setMuted(isMuted) }
    }
  }

  public func swapCamera() async throws {
    try pipeline.swapCamera()
    swappedFrom = swappedFrom ?? devices.cameraName
  }

  /// A camera delivers: the other one, or the old one again because no other could be opened.
  func finishSwap(to name: String) {
    if let swappedFrom, swappedFrom != name { continuation.yield(.cameraSwapped(name: name)) }
    swappedFrom = nil
  }
}

extension ICEServerDescription {
  /// The hub's words in those of the network loop.
  fileprivate init(_ server: ICEServer) {
    self.init(urls: server.urls, username: server.username ?? "", credential: server.credential ?? "")
  }
}
