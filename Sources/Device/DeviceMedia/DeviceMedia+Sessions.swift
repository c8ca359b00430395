public import MediaPlaneAPI
import ICE
import MediaCore
import MediaPipeline
import NetworkLoop
import PeerSession
import RealtimeRuntime
public import Signalling

/// Why the media side refused.
public enum DeviceMediaError: Error, Sendable, CustomStringConvertible {
  case archiveRefused(reason: String)

  public var description: String {
    switch self {
    case .archiveRefused(let reason): "the archive was not started: \(reason)"
    }
  }
}

extension DeviceMedia {
  public func answer(_ request: AnswerRequest) async throws -> String {
    let publish = request.publish.intersection(devices.available)
    let session = MediaSession(publish: publish, mayTalk: request.mayTalk, playsTone: request.playsTone)
    return try await begin(request.sessionID, session) { network in
      try await network.answer(
        sessionID: request.sessionID, offer: request.offer, publish: publish, subscribe: request.subscribe,
        servers: request.iceServers.map { ICEServerDescription($0) })
    }
  }

  public func offer(_ request: OfferRequest) async throws -> String {
    let publish = request.publish.intersection(devices.available)
    let session = MediaSession(publish: publish, mayTalk: request.mayTalk, playsTone: false)
    return try await begin(request.sessionID, session) { network in
      try await network.offer(sessionID: request.sessionID, publish: publish, subscribe: request.subscribe)
    }
  }

  /// Makes a session; when that fails, nothing is left of it.
  private func begin(
    _ sessionID: String, _ session: MediaSession, negotiate: (NetworkLoop) async throws -> LocalDescription
  ) async throws -> String {
    guard sessions[sessionID] == nil else { throw NetworkLoopError.duplicateSession }
    if sessions.isEmpty { bus.attach(network.localFrames) }
    startSampling()
    sessions[sessionID] = session
    do {
      let description = try await negotiate(network)
      // Devices open while ICE and DTLS do their rounds, so that the first picture does not wait for them.
      try follow(description, sessionID)
      sessions[sessionID]?.unbundledKinds = description.unbundledKinds
      return description.sdp
    } catch {
      await hangUp(sessionID: sessionID)
      throw error
    }
  }

  public func accept(answer: String, sessionID: String) async throws {
    guard sessions[sessionID] != nil else { return }
    try follow(await network.accept(answer: answer, sessionID: sessionID), sessionID)
  }

  public func renegotiate(sessionID: String, offer: String) async throws -> String {
    let description = try await network.renegotiate(offer: offer, sessionID: sessionID)
    do {
      try follow(description, sessionID)
    } catch {
      // What the other side has to know is agreed; the session goes on without the device.
      continuation.yield(.sourceStatus(text: "\(error)", isProblem: true))
    }
    return description.sdp
  }

  /// Offers a restart of ICE to the other side, unless an offer waits for its answer.
  func offerRestart(_ sessionID: String) async {
    guard sessions[sessionID]?.heldCandidates == nil else { return }
    sessions[sessionID]?.heldCandidates = []
    if let description = try? await network.restartICE(sessionID: sessionID) {
      continuation.yield(.offerMade(sessionID: sessionID, sdp: description.sdp))
    }
    let held = sessions[sessionID]?.heldCandidates.take() ?? []
    if !held.isEmpty { continuation.yield(.localCandidates(sessionID: sessionID, candidates: held)) }
  }

  /// Tells the other side a candidate: not before the offer that it belongs to, for then it would be taken for one of
  /// before the restart.
  func tell(_ candidate: String, _ sessionID: String) {
    if sessions[sessionID]?.heldCandidates?.append(candidate) != nil { return }
    continuation.yield(.localCandidates(sessionID: sessionID, candidates: [candidate]))
  }

  /// Opens what the other side wants to see and hear, and closes what nobody wants any more.
  private func follow(_ description: LocalDescription, _ sessionID: String) throws {
    guard let session = sessions[sessionID], session.sends != description.sends else { return }
    try acquire(description.sends)
    sessions[sessionID]?.sends = description.sends
    releaseUnused()
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
