import HubClient
import MediaCore
import Signalling

/// The result of an action.
enum ActionResult: Sendable {
  // MARK: Hub

  /// The hub has taken the call and names servers.
  case placed([ICEServer])
  case hubFailed(HubAction, HubClientError)

  // MARK: Media plane

  /// The answer to the offer that the call came with; nil if there can be none.
  case answered(String?)
  /// The offer of a call that this device places; nil if there can be none.
  case offered(String?)
  /// The other side's answer cannot be used.
  case answerUnusable
  /// The answer to an offer within the call; nil if there can be none.
  case renegotiated(String?, to: Int?)
  case archiveStarted(archiveID: ArchiveID)
  case archiveFailed
  case archiveStopped(archiveID: ArchiveID)
  /// A moderator's control was carried out, unless there is a refusal.
  case controlled(CallControl, refusal: ControlRefusal?)

  /// Nothing is left to be done.
  case idle
}

extension ActionResult {
  /// What it means to the call that had it done.
  func step(now: MonotonicInstant) -> (inout CallMachine) -> [CallAction] {
    switch self {
    case .placed(let servers): { $0.placed(servers) }
    case .hubFailed(let action, let error): action.failure(error)
    case .answered(let sdp): { machine in sdp.map { machine.mediaAnswered($0) } ?? machine.mediaRefused() }
    case .offered(let sdp): { machine in sdp.map { machine.mediaOffered($0, now: now) } ?? machine.mediaOfferFailed() }
    case .answerUnusable: { $0.answerUnusable() }
    case .renegotiated(let sdp, let number): { $0.mediaRenegotiated(sdp, to: number, now: now) }
    case .archiveStarted(let archiveID): { $0.archiveStarted(archiveID) }
    case .archiveFailed:
      { machine in
        machine.archive.failed(now: now)
        return []
      }
    case .archiveStopped(let archiveID): { _ in [.hub(.announceArchive(archiveID: archiveID, status: .stopped))] }
    case .controlled(let control, let refusal): { _ in [.controlResult(control, refusal)] }
    case .idle: { _ in [] }
    }
  }
}

extension HubAction {
  fileprivate func failure(_ error: HubClientError) -> (inout CallMachine) -> [CallAction] {
    switch self {
    case .send(.ringing) where error.isForgotten, .send(.answer) where error.isForgotten:
      { $0.remoteEnded(EndReason.vanished.rawValue) }
    case .send(.answer(let answer)) where answer.offerNumber == 0:
      { $0.answerRefused(isAnsweredElsewhere: error.refusal == CallMachine.answeredElsewhere) }
    case .place: { $0.placingFailed(CallPlacing.Refusal(error)) }
    case .send, .announceArchive: { _ in [] }
    }
  }

  /// Whether the hub's refusal belongs to the normal course of calls.
  func expects(_ error: HubClientError, isCallOver: Bool) -> Bool {
    switch self {
    // Of two offers that cross the caller's stands; the receiver's is taken back.
    case .send(.offer): error.refusal == "wrong-state"
    // A newer offer has taken the place of the one that was answered.
    case .send(.answer(let answer)) where answer.offerNumber != 0: error.refusal == "wrong-state"
    // A hub that has forgotten a call that is over is no news.
    case .place, .announceArchive, .send: error.isForgotten && isCallOver
    }
  }
}
