import MediaCore
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import SDP
import Signalling

/// Agrees with the other sides of sessions on what is sent and received, and reports what cannot be agreed to.
struct SessionNegotiation: Sendable {
  private let network: any SessionNetwork
  private let queue: MediaEventQueue

  init(_ network: any SessionNetwork, _ queue: MediaEventQueue) { (self.network, self.queue) = (network, queue) }

  /// - Parameter publish: what may be sent.
  func begin(
    _ request: PeerSessionRequest, _ session: SessionHandle, publish: Set<MediaKind>
  ) async throws -> LocalDescription {
    guard let offer = request.offer else {
      guard !request.isWhole else {
        return try await network.wholeOffer(
          session: session, publish: publish, subscribe: request.subscribe, servers: request.iceServers)
      }
      return try await network.offer(session: session, publish: publish, subscribe: request.subscribe)
    }
    return try await network.answer(
      session: session, offer: offer, publish: publish, subscribe: request.subscribe, servers: request.iceServers)
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
  ///
  /// - Parameter isPublished: the session is no call, so that who publishes reports it.
  func note(_ problem: PathProblem, _ session: SessionHandle, isPublished: Bool) {
    if !isPublished { queue.problems.happened(.calls, "call \(session.sessionID): \(problem)") }
    queue.push(
      .pathMissing(
        sessionID: session.sessionID, hidesAddresses: problem == .onlyHiddenAddresses, text: "\(problem)"))
  }
}
