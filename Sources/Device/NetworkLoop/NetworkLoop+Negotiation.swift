public import MediaCore
public import Signalling

extension NetworkLoop {
  /// Makes a session for an offer and returns the SDP answer.
  ///
  /// With servers, paths through them are reported later as ``PeerSessionEvent/candidateGathered(_:)``; to a peer that does
  /// not take candidates later the answer names them all, and takes up to two seconds.
  public func answer(
    session: SessionHandle, offer: String, publish: Set<MediaKind>, subscribe: Set<MediaKind>,
    servers: [ICEServer] = []
  ) async throws -> LocalDescription {
    try await open(session, offer: offer, publish, subscribe, servers)
  }

  /// Makes a session whose offer names all candidates, for a peer that takes none later: after two seconds at most.
  /// ``accept(answer:session:)`` has to follow.
  public func wholeOffer(
    session: SessionHandle, publish: Set<MediaKind>, subscribe: Set<MediaKind>, servers: [ICEServer]
  ) async throws -> LocalDescription {
    try await open(session, offer: nil, publish, subscribe, servers, isWhole: true)
  }

  /// Makes a session that offers; ``addServers(_:session:)`` and ``accept(answer:session:)`` have to follow.
  public func offer(
    session: SessionHandle, publish: Set<MediaKind>, subscribe: Set<MediaKind>
  ) async throws -> LocalDescription {
    try await open(session, offer: nil, publish, subscribe, [])
  }

  /// Takes the peer's answer to an offer of this side.
  @discardableResult
  public func accept(answer: String, session: SessionHandle) async throws -> LocalDescription {
    try await negotiate(.accept(answer: answer), session)
  }

  /// Answers a later offer of the peer. When it throws, the session continues unchanged.
  public func renegotiate(offer: String, session: SessionHandle) async throws -> LocalDescription {
    try await negotiate(.renegotiate(offer: offer), session)
  }

  private func open(
    _ session: SessionHandle, offer: String?, _ publish: Set<MediaKind>, _ subscribe: Set<MediaKind>,
    _ servers: [ICEServer], isWhole: Bool = false
  ) async throws -> LocalDescription {
    try await reply { reply in
      .open(
        OpenCommand(
          session: session, offer: offer, publish: publish, subscribe: subscribe, servers: servers,
          isWhole: isWhole, reply: reply))
    }
  }

  private func negotiate(_ step: NegotiationCommand.Step, _ session: SessionHandle) async throws -> LocalDescription {
    try await reply { .negotiate(NegotiationCommand(session: session, step: step, reply: $0)) }
  }

  private func reply(
    to command: (@escaping @Sendable (Result<LocalDescription, any Error>) -> Void) -> NetworkCommand
  ) async throws -> LocalDescription {
    try await withCheckedThrowingContinuation { continuation in
      commands.push(command { continuation.resume(with: $0) })
    }
  }
}
