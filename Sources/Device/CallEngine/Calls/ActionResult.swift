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

extension CallMachine {
  /// Takes the result of an action.
  mutating func take(_ result: ActionResult, now: MonotonicInstant) -> [CallAction] {
    switch result {
    case .placed(let servers): placed(servers)
    case .hubFailed(let action, let error): hubFailed(action, error)
    case .answered(let sdp): sdp.map { mediaAnswered($0) } ?? mediaRefused()
    case .offered(let sdp): sdp.map { mediaOffered($0, now: now) } ?? mediaOfferFailed()
    case .answerUnusable: answerUnusable()
    case .renegotiated(let sdp, let number): mediaRenegotiated(sdp, to: number, now: now)
    case .archiveStarted(let archiveID): archiveStarted(archiveID)
    case .archiveFailed: archiveFailed(now: now)
    case .archiveStopped(let archiveID): [.hub(.announceArchive(archiveID: archiveID, status: .stopped))]
    case .controlled(let control, let refusal): [.controlResult(control, refusal)]
    case .idle: []
    }
  }

  private mutating func hubFailed(_ action: HubAction, _ error: HubClientError) -> [CallAction] {
    switch action {
    case .send(.ringing) where error.isForgotten, .send(.answer) where error.isForgotten:
      remoteEnded(EndReason.vanished.rawValue)
    case .send(.answer(let answer)) where answer.offerNumber == 0:
      answerRefused(isAnsweredElsewhere: error.refusal == Self.answeredElsewhere)
    case .place:
      placingFailed(error.isAbsence ? .unreachable : .refused(error.refusal ?? EndReason.error.rawValue))
    case .send, .announceArchive: []
    }
  }
}

extension HubAction {
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
