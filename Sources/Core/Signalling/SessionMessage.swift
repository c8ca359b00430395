/// What a party sends to the hub about a session that has been placed: `POST /v1/sessions/{id}/{path}` with the payload
/// as its body, or `DELETE /v1/sessions/{id}`.
public enum SessionMessage: Sendable {
  case ringing
  /// Answers the call, or an offer within it.
  case answer(SessionDescription)
  case reject(SessionEnding)
  /// A new offer within the call, such as an ICE restart's.
  case offer(SessionDescription)
  case candidates(SessionCandidates)
  case signal(SessionSignal)
  case control(SessionControl)
  case controlResult(SessionControlResult)
  case archive(ArchiveAnnouncement)
  /// Without a reason the party has hung up.
  case end(SessionEnding?)

  /// What a message is about.
  public enum Verb: String, Sendable, CaseIterable {
    case ringing
    case answer
    case reject
    case offer
    case candidates
    case signal
    case control
    case controlResult
    case archive
    case end

    /// Below `/v1/sessions/{id}/`; nil for ``end``, which is the session's `DELETE`.
    public var path: String? {
      switch self {
      case .ringing, .answer, .reject, .offer, .candidates, .signal, .control, .archive: rawValue
      case .controlResult: "control/result"
      case .end: nil
      }
    }
  }

  public var verb: Verb {
    switch self {
    case .ringing: .ringing
    case .answer: .answer
    case .reject: .reject
    case .offer: .offer
    case .candidates: .candidates
    case .signal: .signal
    case .control: .control
    case .controlResult: .controlResult
    case .archive: .archive
    case .end: .end
    }
  }
}
