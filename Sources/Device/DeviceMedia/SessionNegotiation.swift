import MediaCore
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import SDP
import Signalling

/// How a session begins: with the other side's offer, or with one of ours.
enum SessionProposal: Sendable {
  case answer(AnswerRequest)
  case offer(OfferRequest)

  var sessionID: SessionID {
    switch self {
    case .answer(let request): request.sessionID
    case .offer(let request): request.sessionID
    }
  }

  /// What the other side sees first.
  var view: DeviceView {
    switch self {
    case .answer(let request): request.view
    case .offer(let request): request.view
    }
  }

  /// - Parameter available: what this device has.
  func session(available: Set<MediaKind>) -> MediaSession {
    switch self {
    case .answer(let request):
      MediaSession(
        publish: request.publish.intersection(available), mayTalk: request.mayTalk, maxTalkers: request.maxTalkers,
        playsTone: request.playsTone)
    case .offer(let request):
      MediaSession(publish: request.publish.intersection(available), mayTalk: request.mayTalk, playsTone: false)
    }
  }
}

/// Agrees with the other sides of sessions on what is sent and received, and reports what cannot be agreed to.
struct SessionNegotiation: Sendable {
  private let network: any SessionNetwork
  private let queue: MediaEventQueue

  init(_ network: any SessionNetwork, _ queue: MediaEventQueue) { (self.network, self.queue) = (network, queue) }

  /// - Parameter publish: what may be sent.
  func begin(
    _ proposal: SessionProposal, _ session: SessionHandle, publish: Set<MediaKind>
  ) async throws -> LocalDescription {
    switch proposal {
    case .answer(let request):
      try await network.answer(
        session: session, offer: request.offer, publish: publish, subscribe: request.subscribe,
        servers: request.iceServers)
    case .offer(let request):
      try await network.offer(session: session, publish: publish, subscribe: request.subscribe)
    }
  }

  /// What is missing is reported once media flows, and when it changes after that.
  func note(_ description: LocalDescription, of handle: SessionHandle, among sessions: inout MediaSessions) {
    guard let session = sessions[handle] else { return }
    if !description.skippedLines.isEmpty {
      queue.push(.linesSkipped(sessionID: handle.sessionID, description.skippedLines))
    }
    let missing = description.missing.map(MissingMedia.init)
    sessions.update(handle) { $0.missing = missing }
    guard session.isConnected, session.missing != missing else { return }
    queue.push(.mediaMissing(sessionID: handle.sessionID, missing))
  }

  /// Media flows.
  func noteConnected(_ handle: SessionHandle, _ session: MediaSession) {
    queue.push(.connected(sessionID: handle.sessionID))
    if !session.missing.isEmpty { queue.push(.mediaMissing(sessionID: handle.sessionID, session.missing)) }
  }

  /// Kept beside the event, for queries after the call is over.
  func note(_ problem: PathProblem, _ session: SessionHandle) {
    queue.problems.happened(.calls, "call \(session.sessionID): \(problem)")
    queue.push(
      .pathMissing(
        sessionID: session.sessionID, hidesAddresses: problem == .onlyHiddenAddresses, text: "\(problem)"))
  }
}
