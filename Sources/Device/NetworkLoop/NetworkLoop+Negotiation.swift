public import MediaCore
public import Signalling

extension NetworkLoop {
  /// Makes a session for an offer and returns the SDP answer.
  ///
  /// With servers, paths through them are reported later as ``PeerSessionEvent/candidateGathered(_:)``; to a peer that does
  /// not take candidates later the answer names them all, and takes up to two seconds.
  public func answer(
    sessionID: SessionID, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>,
    servers: [ICEServer] = []
  ) async throws -> LocalDescription {
    try await open(sessionID, offer: offer, publish, subscribe, servers)
  }

  /// Makes a session that offers; ``addServers(_:sessionID:)`` and ``accept(answer:sessionID:)`` have to follow.
  public func offer(
    sessionID: SessionID, publish: Set<MediaKind>, subscribe: Set<MediaKind>
  ) async throws -> LocalDescription {
    try await open(sessionID, offer: nil, publish, subscribe, [])
  }

  /// Takes the peer's answer to an offer of this side.
  @discardableResult
  public func accept(answer: String, sessionID: SessionID) async throws -> LocalDescription {
    try await negotiate(.accept(answer: answer), sessionID)
  }

  /// Answers a later offer of the peer. When it throws, the session goes on as it was.
  public func renegotiate(offer: String, sessionID: SessionID) async throws -> LocalDescription {
    try await negotiate(.renegotiate(offer: offer), sessionID)
  }

  /// Makes an offer that restarts ICE; throws while another waits for its answer.
  public func restartICE(sessionID: SessionID) async throws -> LocalDescription {
    try await negotiate(.restartICE, sessionID)
  }

  private func open(
    _ sessionID: SessionID, offer: String?, _ publish: Set<MediaKind>, _ subscribe: Set<MediaKind>,
    _ servers: [ICEServer]
  ) async throws -> LocalDescription {
    try await reply { reply in
      .open(
        OpenCommand(
          sessionID: sessionID, offer: offer, publish: publish, subscribe: subscribe, servers: servers,
          reply: reply))
    }
  }

  private func negotiate(_ step: NegotiationCommand.Step, _ sessionID: SessionID) async throws -> LocalDescription {
    try await reply { .negotiate(NegotiationCommand(sessionID: sessionID, step: step, reply: $0)) }
  }

  private func reply(
    to command: (@escaping @Sendable (Result<LocalDescription, any Error>) -> Void) -> NetworkCommand
  ) async throws -> LocalDescription {
    try await withCheckedThrowingContinuation { continuation in
      let command = command { continuation.resume(with: $0) }
      if !commands.push(command) { continuation.resume(throwing: NetworkLoopError.unresponsive) }
    }
  }
}
